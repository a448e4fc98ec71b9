import { InvalidJsonError } from '../errors/invalid-json-error.ts';
import { type JsonObject, toFrozenJson } from '../messages/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';
import { jsonTextProblem } from './json-text-problem.ts';

/** The arguments of a call as frozen JSON, or the problems that go back to the model. */
export type ParsedArgs =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

const NONE: ParsedArgs = Object.freeze({ ok: true, value: Object.freeze({}) });

/**
 * Parses the arguments of a call that executes here. `null` and the empty text stand for no arguments.
 *
 * Rejects whatever JSON cannot hold (numbers that are not finite, integers that are not exact, duplicate
 * keys), so that approvers, policies and tools all get the same value.
 */
export function parseArgs(args: JsonObject | string | null): ParsedArgs {
  if (args !== null && typeof args !== 'string') return toJson(args);
  const parsed = parseLeniently(args);
  const problem = parsed.ok && args !== null ? jsonTextProblem(args) : undefined;
  return problem === undefined ? parsed : rejected(problem, args ?? '');
}

/** Parses arguments that no tool of this process receives, such as those of an external call or an output. */
export function parseLeniently(args: JsonObject | string | null): ParsedArgs {
  if (args === null || args === '') return NONE;
  return typeof args === 'string' ? parseText(args) : { ok: true, value: args };
}

function parseText(text: string): ParsedArgs {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return rejected(`The arguments are not valid JSON: ${reason}`, text);
  }
  if (value === null) return NONE;
  if (typeof value !== 'object' || Array.isArray(value)) {
    return rejected('The arguments must be a JSON object with the parameters by name.', text);
  }
  // `JSON.parse` returns JSON, and it is an object.
  return toJson(value as JsonObject, text);
}

function toJson(args: JsonObject, input?: string): ParsedArgs {
  try {
    // An object stays an object.
    return { ok: true, value: toFrozenJson(args, 'arguments') as JsonObject };
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    return rejected(`The arguments cannot be represented as JSON: ${error.message}`, input);
  }
}

function rejected(message: string, input?: string): ParsedArgs {
  const issue: ValidationIssue = Object.freeze({
    path: Object.freeze([]),
    message,
    ...(input !== undefined && { input }),
  });
  return { ok: false, issues: Object.freeze([issue]) };
}
