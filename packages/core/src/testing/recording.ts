import { AgentError } from '../errors/agent-errors.ts';
import { UserError } from '../errors/user-errors.ts';
import { isReadableError, isThrown, messageOf } from '../errors/thrown.ts';
import { isPlainObject, type JsonValue } from '../internal/json.ts';

/** Everything that a run received from its environment, as plain JSON data. */
export interface Recording {
  /** The requests of the run, in order. */
  readonly requests: readonly RecordedRequest[];
  /** The ends of its steps and sleeps, in the order in which the run received them. */
  readonly arrivals: readonly RecordedArrival[];
}

/** A request of a run to its environment. */
export type RecordedRequest =
  | { readonly kind: 'now'; readonly value: number }
  | { readonly kind: 'id'; readonly value: string }
  | { readonly kind: 'random'; readonly value: number }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'step'; readonly name: string };

/** The end of a step or a sleep. */
export interface RecordedArrival {
  /** The index of the request that ended. */
  readonly requestIndex: number;
  /** The number of requests before it. */
  readonly requestCount: number;
  /** The value that the step returned. Errors in it are `{ $error: { name, message } }`. */
  readonly value?: JsonValue | undefined;
  /** The error that the step threw. */
  readonly error?: RecordedError | undefined;
}

/** An error in a recording. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

/** An error of a replayed run that requests something other than the recorded run. */
export class ReplayMismatchError extends AgentError {
  override name = 'ReplayMismatchError';
  readonly code = 'replay-mismatch';
  /** The request of the recorded run, such as `step tool:delete_file`. */
  readonly recorded: string;
  /** The request of the replayed run. */
  readonly requested: string;

  constructor(recorded: string, requested: string, index: number) {
    super(
      `The replayed run diverged from the recording: it requested \`${requested}\`, but \`${recorded}\` was ` +
        `recorded (entry ${index}). Check that the run depends only on the history, the options and the ` +
        'environment.',
    );
    this.recorded = recorded;
    this.requested = requested;
  }
}

/** Returns the start of a recording, as if the process had ended after that many steps. */
export function recordingUpTo(recording: Recording, steps: number): Recording {
  if (steps <= 0) return { requests: [], arrivals: [] };
  const ends = recording.arrivals.filter(
    ({ requestIndex }) => recording.requests[requestIndex]?.kind === 'step',
  );
  const last = ends[steps - 1];
  if (last === undefined) return recording;
  return {
    requests: recording.requests.slice(0, last.requestCount),
    arrivals: recording.arrivals.slice(0, recording.arrivals.indexOf(last) + 1),
  };
}

/** Returns the JSON form of a step's value, or `undefined` if it has none. */
export function toRecordedValue(value: unknown, stepName: string): JsonValue | undefined {
  try {
    const text = JSON.stringify(value, function (this: unknown, key, member: unknown) {
      // The value before `toJSON` converted it.
      const original = Object(this)[key];
      return isThrown(original, Error) ? { $error: toRecordedError(original) } : member;
    });
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch (cause) {
    throw new UserError(
      `The step \`${stepName}\` returned a value that JSON cannot represent, so it cannot be recorded. Return plain data.`,
      { cause },
    );
  }
}

/** Returns a copy of a recorded value, with its errors restored. */
export function fromRecordedValue(value: JsonValue | undefined): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
    isTaggedError(member) ? fromRecordedError(member.$error) : member,
  );
}

/** Returns the recorded form of an error. */
export function toRecordedError(error: unknown): RecordedError {
  if (!isReadableError(error)) return { name: 'Error', message: messageOf(error) };
  const { name, message } = error;
  return 'code' in error && typeof error.code === 'string'
    ? { name, message, code: error.code }
    : { name, message };
}

/** Creates an error with the name, message and code of the recorded one. */
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
