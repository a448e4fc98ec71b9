import { UserError } from '../errors/user-errors.ts';
import { isReadableError, isThrown, messageOf } from '../errors/thrown.ts';
import { isPlainObject, type JsonValue } from '../internal/json.ts';

/** Everything that a run took from its environment: plain data, `JSON.stringify` stores it. */
export interface Recording {
  /** What the run asked for, in that order. */
  readonly asked: readonly RecordedRequest[];
  /** What became of its steps and sleeps, in the order in which it reached the run. */
  readonly arrived: readonly RecordedArrival[];
}

/** Something that a run asked its environment for. */
export type RecordedRequest =
  | { readonly kind: 'now'; readonly value: number }
  | { readonly kind: 'id'; readonly value: string }
  | { readonly kind: 'random'; readonly value: number }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'step'; readonly name: string };

/** The end of a step or a sleep. */
export interface RecordedArrival {
  /** Which of the requests has ended. */
  readonly of: number;
  /** How many requests there had been by then. */
  readonly after: number;
  /** What the step returned; errors in it are `{ $error: { name, message } }`. */
  readonly value?: JsonValue | undefined;
  /** What the step threw. */
  readonly error?: RecordedError | undefined;
}

/** An error as a recording holds it. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

/** The beginning of a recording, as if the process had ended right after that many steps arrived. */
export function recordingUpTo(recording: Recording, steps: number): Recording {
  if (steps <= 0) return { asked: [], arrived: [] };
  const ends = recording.arrived.filter(({ of }) => recording.asked[of]?.kind === 'step');
  const last = ends[steps - 1];
  if (last === undefined) return recording;
  return {
    asked: recording.asked.slice(0, last.after),
    arrived: recording.arrived.slice(0, recording.arrived.indexOf(last) + 1),
  };
}

/** What a step returned, as JSON would hold it; `undefined` where there is nothing to hold. */
export function toRecordedValue(value: unknown, stepName: string): JsonValue | undefined {
  try {
    const text = JSON.stringify(value, function (this: unknown, key, member: unknown) {
      // What was there before `toJSON` had its say.
      const original = Object(this)[key];
      return isThrown(original, Error) ? { $error: toRecordedError(original) } : member;
    });
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch (cause) {
    throw new UserError(
      `The step ${stepName} returned something that JSON cannot hold. Steps must return plain data.`,
      { cause },
    );
  }
}

/** What a step returned, from how the recording holds it: fresh, and with its errors restored. */
export function fromRecordedValue(value: JsonValue | undefined): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
    isTaggedError(member) ? fromRecordedError(member.$error) : member,
  );
}

/** What the recording keeps of an error. */
export function toRecordedError(error: unknown): RecordedError {
  if (!isReadableError(error)) return { name: 'Error', message: messageOf(error) };
  const { name, message } = error;
  return 'code' in error && typeof error.code === 'string'
    ? { name, message, code: error.code }
    : { name, message };
}

/** An error with the name, the message and the code of the recorded one. */
export function fromRecordedError({ message, ...others }: RecordedError): Error {
  return Object.assign(new Error(message), others);
}

function isTaggedError(value: unknown): value is { readonly $error: RecordedError } {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return false;
  const error = value['$error'];
  return (
    isPlainObject(error) &&
    typeof error['name'] === 'string' &&
    typeof error['message'] === 'string'
  );
}
