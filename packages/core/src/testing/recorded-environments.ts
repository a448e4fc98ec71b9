import { type Environment, liveEnvironment } from '../context/environment.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { nextTurn } from './fake-clock.ts';
import {
  fromRecordedError,
  fromRecordedValue,
  type RecordedArrival,
  type RecordedRequest,
  type Recording,
  recordingUpTo,
  ReplayMismatchError,
  toRecordedError,
  toRecordedValue,
} from './recording.ts';

/** An environment that records everything that a run receives from it. */
export interface RecordingEnvironment extends Environment {
  /** A copy of the recording so far. */
  readonly recording: Recording;
}

/**
 * Creates an environment that records everything that a run receives: times, ids, random numbers, results of
 * steps, and the order in which steps and sleeps end.
 *
 * The order is sufficient to repeat `all` and `race`, because each end is delivered in its own turn of the event
 * loop. The run receives the original results of its steps, not the copies in the recording.
 */
export function recordingEnvironment(base: Environment = liveEnvironment): RecordingEnvironment {
  return new Journal({ requests: [], arrivals: [] }, base);
}

/** Options of {@link replayingEnvironment}. */
export interface ReplayOptions {
  /** The number of finished steps to replay. Defaults to all. */
  readonly upTo?: number | undefined;
  /** The environment after the end of the recording. Defaults to the live environment. */
  readonly base?: Environment | undefined;
}

const REPLAY_OPTIONS: OptionTable<ReplayOptions> = { upTo: 'number', base: 'object' };

/** An environment that replays a recording. */
export interface ReplayingEnvironment extends RecordingEnvironment {
  /** The replayed part and, after the end of the recording, everything recorded since. */
  readonly recording: Recording;
  /** The number of recorded steps that the run has not received. */
  readonly remaining: number;
}

/**
 * Creates an environment that returns to a run what a recorded run received: the same times, ids, random numbers
 * and results of steps, in the same order. It does not execute the steps.
 *
 * `upTo` replays only the start, as if the recorded process had ended after that many steps. Steps that were in
 * progress then are executed again. A run that requests something other than the recorded run gets a
 * `ReplayMismatchError` for this and every later request. `replaying()` is true until the run has received the
 * last recorded step.
 */
export function replayingEnvironment(
  recording: Recording,
  options: ReplayOptions = {},
): ReplayingEnvironment {
  checkOptions('`replayingEnvironment`', options, REPLAY_OPTIONS);
  const { upTo, base = liveEnvironment } = options;
  return new Journal(upTo === undefined ? recording : recordingUpTo(recording, upTo), base);
}

/** The recorded end of a step or a sleep. */
type Ending = Pick<RecordedArrival, 'value' | 'error'>;

/** A step or a sleep that ended, and whose end the run has not received. */
interface PendingArrival {
  readonly requestIndex: number;
  readonly ending: Ending;
  /** Passes the original result to the run. */
  readonly deliver: () => void;
}

/** Replays a recording, possibly an empty one, and records everything after its end. */
class Journal implements Environment {
  readonly #past: Recording;
  readonly #base: Environment;
  readonly #requests: RecordedRequest[] = [];
  readonly #arrivals: RecordedArrival[] = [];
  /** Ends that the run has not received. */
  readonly #pending: PendingArrival[] = [];
  /** Functions that pass a recorded end to the run, by index of the request. */
  readonly #receivers = new Map<number, (ending: Ending) => void>();
  readonly #recordedEnds: ReadonlySet<number>;
  #remaining: number;
  #delivering = false;
  #mismatch: ReplayMismatchError | undefined;

  constructor(past: Recording, base: Environment) {
    this.#past = past;
    this.#base = base;
    this.#recordedEnds = new Set(past.arrivals.map(({ requestIndex }) => requestIndex));
    this.#remaining = past.arrivals.filter(
      ({ requestIndex }) => past.requests[requestIndex]?.kind === 'step',
    ).length;
  }

  get recording(): Recording {
    return { requests: [...this.#requests], arrivals: [...this.#arrivals] };
  }

  get remaining(): number {
    return this.#remaining;
  }

  now(): number {
    return this.#request('now', () => ({ kind: 'now', value: this.#base.now() })).value;
  }

  newId(): string {
    return this.#request('id', () => ({ kind: 'id', value: this.#base.newId() })).value;
  }

  random(): number {
    return this.#request('random', () => ({ kind: 'random', value: this.#base.random() })).value;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#request('sleep', () => ({ kind: 'sleep', ms }));
    return this.#execute('sleep', () => this.#base.sleep(ms, signal));
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    this.#request('step', () => ({ kind: 'step', name }), name);
    return this.#execute(name, () => this.#base.step(name, action));
  }

  // The order of deliveries determines the results of `all` and `race`.
  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]> {
    return liveEnvironment.all(promises, each);
  }

  race<T>(promises: readonly Promise<T>[]): Promise<T> {
    return liveEnvironment.race(promises);
  }

  replaying(): boolean {
    return this.#remaining > 0 || this.#base.replaying();
  }

  /** Returns the next request of the recording. After its end, creates a new one. */
  #request<Kind extends RecordedRequest['kind']>(
    kind: Kind,
    create: () => RequestOf<Kind>,
    name?: string,
  ): RequestOf<Kind> {
    if (this.#mismatch) throw this.#mismatch;
    const index = this.#requests.length;
    const request = this.#past.requests[index] ?? create();
    const wanted = labelOf({ kind, name });
    if (!isOfKind(request, kind) || labelOf(request) !== wanted) {
      this.#mismatch = new ReplayMismatchError(labelOf(request), wanted, index);
      throw this.#mismatch;
    }
    this.#requests.push(request);
    void this.#deliver();
    return request;
  }

  /** Waits for the end of the last request. Executes it only if the recording does not contain its end. */
  #execute<T>(name: string, action: () => Promise<T>): Promise<T> {
    const requestIndex = this.#requests.length - 1;
    return new Promise<T>((resolve, reject) => {
      if (this.#recordedEnds.has(requestIndex)) {
        this.#receivers.set(requestIndex, ({ value, error }) =>
          error ? reject(fromRecordedError(error)) : resolve(fromRecordedValue(value) as T),
        );
        return;
      }
      const end = (ending: Ending, deliver: () => void) => {
        this.#pending.push({ requestIndex, ending, deliver });
        void this.#deliver();
      };
      // The action starts synchronously, and an error that it throws becomes a rejection.
      new Promise<T>((started) => started(action()))
        .then((value) => end(endingWith(value, name), () => resolve(value)))
        .catch((error: unknown) => end({ error: toRecordedError(error) }, () => reject(error)));
    });
  }

  /** Delivers ends one at a time, so that the run has processed one before it receives the next. */
  async #deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#nextArrival(); next; next = this.#nextArrival()) {
      await nextTurn();
      next();
    }
    this.#delivering = false;
  }

  #nextArrival(): (() => void) | undefined {
    const recorded = this.#past.arrivals[this.#arrivals.length];
    if (recorded) {
      return recorded.requestCount <= this.#requests.length ? this.#replay(recorded) : undefined;
    }
    const pending = this.#pending[0];
    return pending && this.#record(pending);
  }

  #replay(arrival: RecordedArrival): () => void {
    return () => {
      this.#arrivals.push(arrival);
      if (this.#past.requests[arrival.requestIndex]?.kind === 'step') this.#remaining -= 1;
      this.#receivers.get(arrival.requestIndex)?.(arrival);
    };
  }

  #record({ requestIndex, ending, deliver }: PendingArrival): () => void {
    return () => {
      this.#pending.shift();
      this.#arrivals.push({ requestIndex, requestCount: this.#requests.length, ...ending });
      deliver();
    };
  }
}

/** Returns the end of a step that returned. A value without a JSON form is omitted. */
function endingWith(value: unknown, name: string): Ending {
  const recorded = toRecordedValue(value, name);
  return recorded === undefined ? {} : { value: recorded };
}

type RequestOf<Kind extends RecordedRequest['kind']> = Extract<RecordedRequest, { kind: Kind }>;

function isOfKind<Kind extends RecordedRequest['kind']>(
  request: RecordedRequest,
  kind: Kind,
): request is RequestOf<Kind> {
  return request.kind === kind;
}

function labelOf({
  kind,
  name,
}: {
  readonly kind: string;
  readonly name?: string | undefined;
}): string {
  return name === undefined ? kind : `${kind} ${name}`;
}
