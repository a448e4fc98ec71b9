import type { JsonObject, JsonValue } from 'holdpoint';
import { isObject } from './show-value.ts';
import { visible } from './visible.ts';

/** JSON as text in which everything can be seen: what cannot is written with its number, which JSON understands. */
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

/** What was read from a text, or what is wrong with it. */
export type ReadJson<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** Reads the arguments of a call. */
export function readArgs(text: string): ReadJson<JsonObject> {
  const read = parse(text);
  if (!read.ok) return read;
  const { value } = read;
  return isObject(value)
    ? { ok: true, value }
    : { ok: false, problem: 'Arguments are a JSON object, such as {"path": "a.txt"}.' };
}

/** Reads a result: JSON, or else text, unless it begins like JSON and is none. */
export function readResult(text: string): ReadJson<JsonValue> {
  const read = parse(text);
  if (read.ok) return read;
  return /^\s*[{["]/.test(text)
    ? { ok: false, problem: `${read.problem} For a text, begin with something else than { [ or ".` }
    : { ok: true, value: text };
}

function parse(text: string): ReadJson<JsonValue> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `This is not JSON: ${reason.replace(/, "[^]*/, '')}.` };
  }
}
