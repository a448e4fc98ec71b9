import type { JsonValue } from 'holdpoint';
import { type JsonPath, pointerOf, withValueAt } from '../values/json-path.ts';
import type { Problem } from './problems.ts';

/** Arguments that somebody is changing. */
export interface Draft {
  readonly value: JsonValue;
  /** What was typed that is no value yet, by pointer. */
  readonly unread: ReadonlyMap<string, Unread>;
}

/** A text that was typed where something else belongs. */
export interface Unread {
  readonly text: string;
  readonly problem: string;
}

/** A draft that nobody has changed. */
export function draftOf(value: JsonValue): Draft {
  return { value, unread: new Map() };
}

/** Puts a value at a place. */
export function withValue(draft: Draft, path: JsonPath, value: JsonValue | undefined): Draft {
  const pointer = pointerOf(path);
  const unread = new Map([...draft.unread].filter(([other]) => !isInside(other, pointer)));
  return { value: withValueAt(draft.value, path, value), unread };
}

/** Takes a number as it was typed; what is none stays as it was typed, and is a problem. */
export function withNumberText(draft: Draft, path: JsonPath, text: string): Draft {
  const number = Number(text);
  const isNumber = text.trim() !== '' && Number.isFinite(number);
  if (isNumber && String(number) === text.trim()) return withValue(draft, path, number);
  const problem = isNumber
    ? `This would be sent as ${number}. Write it like that.`
    : 'This is not a number.';
  return withUnread(draft, path, { text, problem });
}

/** Takes JSON as it was typed. */
export function withJsonText(draft: Draft, path: JsonPath, text: string): Draft {
  try {
    return withValue(draft, path, JSON.parse(text));
  } catch {
    return withUnread(draft, path, { text, problem: 'This is not JSON yet.' });
  }
}

/** What is wrong with what was typed. */
export function unreadProblems({ unread }: Draft): readonly Problem[] {
  return [...unread].map(([path, { problem }]) => ({ path, message: problem }));
}

function withUnread(draft: Draft, path: JsonPath, unread: Unread): Draft {
  return { ...draft, unread: new Map(draft.unread).set(pointerOf(path), unread) };
}

function isInside(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}
