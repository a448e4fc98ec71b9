import { InvalidJsonError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';
import { deepFreeze, type JsonObject, toFrozenJson } from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';
import { jsonTextProblem } from './json-text-problem.ts';

/** The arguments of a call as frozen JSON, or the problems that go back to the model. */
export type ParsedArgs =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

const NO_ARGS: ParsedArgs = Object.freeze({ ok: true, value: Object.freeze({}) });

/**
 * Parses the arguments of a call that executes here. `null` and the empty text stand for no arguments.
 *
 * Rejects values that JSON cannot represent (numbers that are not finite, integers that are not exact,
 * duplicate keys), so that approvers, policies and tools all get the same value.
 */
export function parseArgs(args: JsonObject | string | null): ParsedArgs {
  if (args === null || args === '') return NO_ARGS;
  if (typeof args !== 'string') return toJsonArgs(args);
  const parsed = parseArgsText(args);
  if (!parsed.ok) return parsed;
  const problem = jsonTextProblem(args);
  if (problem !== undefined) return rejectArgs(problem, args);
  // No other code holds a value that was just parsed, so it needs no copy.
  deepFreeze(parsed.value);
  return parsed;
}

/** Parses arguments that no tool of this process receives, such as those of an external call or an output. */
export function parseLeniently(args: JsonObject | string | null): ParsedArgs {
  if (args === null || args === '') return NO_ARGS;
  if (typeof args !== 'string') return { ok: true, value: args };
  const parsed = parseArgsText(args);
  return parsed.ok ? toJsonArgs(parsed.value, args) : parsed;
}

/** Parses a text that must hold an object. The value is not frozen yet. */
function parseArgsText(text: string): ParsedArgs {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return rejectArgs(`The arguments are not valid JSON: ${messageOf(error)}`, text);
  }
  if (value === null) return NO_ARGS;
  if (typeof value !== 'object' || Array.isArray(value)) {
    return rejectArgs('The arguments must be a JSON object with the parameters by name.', text);
  }
  // `JSON.parse` returns JSON, and it is an object.
  return { ok: true, value: value as JsonObject };
}

function toJsonArgs(args: JsonObject, input?: string): ParsedArgs {
  try {
    return { ok: true, value: toFrozenJson(args, 'arguments') as JsonObject }; // a copy of an object
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    return rejectArgs(`The arguments cannot be represented as JSON: ${error.message}`, input);
  }
}

function rejectArgs(message: string, input?: string): ParsedArgs {
  const issue: ValidationIssue = Object.freeze({
    path: Object.freeze([]),
    message,
    ...(input !== undefined && { input }),
  });
  return { ok: false, issues: Object.freeze([issue]) };
}
