import type { JsonValue } from 'holdpoint';
import { toJson } from '../model/json.ts';
import type { CallArgs } from './redaction.ts';

/** Returns the tool calls in JSON at any depth: in messages, and in the messages of sub-agents inside them. */
export function callsIn(value: JsonValue): readonly CallArgs[] {
  if (typeof value !== 'object' || value === null) return [];
  const nested = Object.values(value).flatMap((one) => callsIn(one));
  if (!('toolName' in value) || !('args' in value) || typeof value.toolName !== 'string') {
    return nested;
  }
  return [callArgs({ toolName: value.toolName, args: value.args }), ...nested];
}

/** Returns a call with its arguments parsed: a message may have them as the text that the model sent. */
export function callArgs(call: { readonly toolName: string; readonly args: unknown }): CallArgs {
  return { toolName: call.toolName, args: parsed(call.args) };
}

function parsed(args: unknown): JsonValue {
  if (typeof args !== 'string') return toJson(args ?? {});
  try {
    return toJson(JSON.parse(args === '' ? '{}' : args));
  } catch {
    return args;
  }
}
