import { InvalidJsonError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';
import {
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  deepFreeze,
  toFrozenJson,
} from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';

/** The arguments of a call as frozen JSON, or the problems that go back to the model. */
export type ParsedArgs =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

const NO_ARGS: ParsedArgs = Object.freeze({ ok: true, value: Object.freeze({}) });

/**
 * Parses the arguments of a call that executes here. `null` and the empty text mean no arguments.
 *
 * Rejects values that JSON cannot represent (numbers that are not finite, integers that are not
 * exact, duplicate keys), so that approvers, policies and tools all get the same value.
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
    const message = 'The arguments must be a JSON object with the parameters by name.';
    // A number that JavaScript cannot represent is shown as the model sent it.
    const isExact = jsonTextProblem(text) === undefined;
    return rejectArgs(message, isExact ? deepFreeze(value as JsonValue) : text); // `JSON.parse` returns JSON
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

function rejectArgs(message: string, input?: JsonValue): ParsedArgs {
  const issue: ValidationIssue = Object.freeze({
    path: Object.freeze([]),
    message,
    ...(input !== undefined && { input }),
  });
  return { ok: false, issues: Object.freeze([issue]) };
}

/**
 * Returns the reason why a JavaScript value cannot represent a valid JSON text faithfully; `undefined` if it can.
 *
 * `JSON.parse` keeps the last of two equal keys, turns `1e400` into `Infinity` and rounds big integers. An
 * approver would then see something else than the model sent.
 */
export function jsonTextProblem(text: string): string | undefined {
  /** The keys of each enclosing object; `undefined` for an enclosing list. */
  const enclosing: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  let index = 0;
  while (index < text.length) {
    const character = text[index];
    let end = index + 1;
    if (character === '"') {
      end = endOfString(text, index);
      if (isKeyNext) {
        const key = stringIn(text, index, end);
        const keys = enclosing.at(-1);
        if (keys?.has(key))
          return `The key ${JSON.stringify(key)} occurs twice in one object. Send it once.`;
        keys?.add(key);
        isKeyNext = false;
      }
    } else if (character === '{' || character === '[') {
      enclosing.push(character === '{' ? new Set() : undefined);
      if (enclosing.length > MAX_DEPTH) {
        return `The value is nested deeper than ${MAX_DEPTH} levels. Flatten it.`;
      }
      isKeyNext = character === '{';
    } else if (character === '}' || character === ']') {
      enclosing.pop();
      isKeyNext = false;
    } else if (character === ',') {
      isKeyNext = enclosing.at(-1) !== undefined;
    } else if (character === '-' || isDigit(character)) {
      end = endOfNumber(text, index);
      const problem = numberProblem(text.slice(index, end));
      if (problem !== undefined) return problem;
    }
    index = end;
  }
  return undefined;
}

/** Returns the index after the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Returns whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === '\\') start -= 1;
  return (index - start) % 2 === 1;
}

/** Returns the string whose quotes are at `start` and before `end`. */
function stringIn(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  // Two spellings of one key are the same key.
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(text[end])) end += 1;
  return end;
}

function isOfNumber(character: string | undefined): boolean {
  return character !== undefined && (isDigit(character) || '.eE+-'.includes(character));
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function numberProblem(token: string): string | undefined {
  const value = Number(token);
  if (Number.isSafeInteger(value)) return undefined;
  if (!Number.isFinite(value)) return `The number ${token} is too large. Send a finite number.`;
  return /^-?\d+$/.test(token)
    ? `The integer ${token} cannot be represented exactly. Send it as text.`
    : undefined;
}
