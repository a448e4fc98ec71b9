import type { JsonObject, JsonValue } from 'holdpoint';
import { jsonTextProblem } from 'holdpoint/tools';
import { isObject } from './values.ts';
import { visible } from './visible.ts';

/** Formats JSON and escapes hidden characters. */
export function toJsonText(value: JsonValue, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return [...text]
    .map((character) => (isPlain(character) ? character : escaped(character)))
    .join('');
}

function isPlain(character: string): boolean {
  return character === '\n' || visible(character) === character;
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A parsed value, or the problem with the text. */
export type ReadJson<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** Parses the arguments of a call. */
export function readArgs(text: string): ReadJson<JsonObject> {
  const read = parse(text);
  if (!read.ok) return read;
  const { value } = read;
  return isObject(value)
    ? { ok: true, value }
    : { ok: false, problem: 'Arguments must be a JSON object, such as {"path": "a.txt"}.' };
}

/** Parses a result: JSON, or text unless it begins like JSON. */
export function readResult(text: string): ReadJson<JsonValue> {
  const read = parse(text);
  if (read.ok) return read;
  return /^\s*[{["]/.test(text)
    ? { ok: false, problem: `${read.problem} A text cannot begin with {, [ or ".` }
    : { ok: true, value: text };
}

function parse(text: string): ReadJson<JsonValue> {
  try {
    const value: JsonValue = JSON.parse(text);
    const problem = jsonTextProblem(text);
    // The value would not be the one that the approver typed.
    return problem === undefined ? { ok: true, value } : { ok: false, problem };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `This is not JSON: ${reason.replace(/, "[^]*/, '')}.` };
  }
}
