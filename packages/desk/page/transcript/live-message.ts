import type { JsonObject, JsonValue } from 'holdpoint';
import { isObject } from '../values/json-path.ts';

/** A message that the run has not finished yet. */
export interface LiveMessage {
  /** The index that the message will have in its conversation. */
  readonly position: number;
  readonly parts: readonly JsonObject[];
}

/** Returns a message with an event added. Events are untrusted: unknown ones change nothing. */
export function addLiveEvent(
  current: LiveMessage | undefined,
  position: number,
  event: JsonObject,
): LiveMessage {
  const { parts } = current?.position === position ? current : { parts: [] };
  const { kind, index, part, text } = event;
  switch (kind) {
    case 'response-start':
      return { position, parts: [] };
    case 'part-start':
    case 'part-end':
      return { position, parts: withPart(parts, index, part) };
    case 'text-delta':
    case 'thinking-delta':
    case 'args-delta': {
      const known = typeof index === 'number' ? parts[index] : undefined;
      const member = kind === 'args-delta' ? 'args' : 'content';
      const before = typeof known?.[member] === 'string' ? known[member] : '';
      return { position, parts: withPart(parts, index, { ...known, [member]: before + text }) };
    }
    case 'tool-result':
    case 'output-tool-result':
      return { position, parts: withPart(parts, parts.length, part) };
    default:
      return { position, parts };
  }
}

function withPart(
  parts: readonly JsonObject[],
  index: JsonValue | undefined,
  part: JsonValue | undefined,
): readonly JsonObject[] {
  if (typeof index !== 'number' || index < 0 || index > parts.length || !isObject(part))
    return parts;
  return [...parts.slice(0, index), part, ...parts.slice(index + 1)];
}
