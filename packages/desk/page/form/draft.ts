import type { JsonValue } from 'holdpoint';
import { type JsonPath, pointerOf, withValueAt } from '../values/json-path.ts';
import type { Problem } from './problems.ts';

/** Arguments that an approver is editing. */
export interface ArgsDraft {
  readonly value: JsonValue;
  /** Typed texts that are not valid values yet, by JSON pointer. */
  readonly invalid: ReadonlyMap<string, InvalidText>;
}

/** A typed text that is not a number or not JSON. */
export interface InvalidText {
  readonly text: string;
  readonly problem: string;
}

/** Returns a draft without changes. */
export function draftOf(value: JsonValue): ArgsDraft {
  return { value, invalid: new Map() };
}

/** Sets the value at a path, or removes it if it is `undefined`. */
export function withValue(
  draft: ArgsDraft,
  path: JsonPath,
  value: JsonValue | undefined,
): ArgsDraft {
  const pointer = pointerOf(path);
  const invalid = new Map([...draft.invalid].filter(([other]) => !isInside(other, pointer)));
  return { value: withValueAt(draft.value, path, value), invalid };
}

/** Sets a number from its text. A text that is not a number is kept as typed, with a problem. */
export function withNumberText(draft: ArgsDraft, path: JsonPath, text: string): ArgsDraft {
  const number = Number(text);
  const isNumber = text.trim() !== '' && Number.isFinite(number);
  if (isNumber && String(number) === text.trim()) return withValue(draft, path, number);
  const problem = isNumber
    ? `This number would be sent as ${number}. Enter it like that.`
    : 'Enter a number.';
  return withInvalid(draft, path, { text, problem });
}

/** Sets a value from its JSON text. */
export function withJsonText(draft: ArgsDraft, path: JsonPath, text: string): ArgsDraft {
  try {
    return withValue(draft, path, JSON.parse(text));
  } catch {
    return withInvalid(draft, path, { text, problem: 'This is not valid JSON.' });
  }
}

/** Returns the problems of texts that are not valid values. */
export function textProblems({ invalid }: ArgsDraft): readonly Problem[] {
  return [...invalid].map(([path, { problem }]) => ({ path, message: problem }));
}

function withInvalid(draft: ArgsDraft, path: JsonPath, invalid: InvalidText): ArgsDraft {
  return { ...draft, invalid: new Map(draft.invalid).set(pointerOf(path), invalid) };
}

function isInside(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}
