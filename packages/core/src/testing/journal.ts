import { type Environment, liveEnvironment } from '../context/environment.ts';
import { nextTurn } from './next-turn.ts';
import {
  fromRecordedError,
  fromRecordedValue,
  type RecordedArrival,
  type RecordedRequest,
  type Recording,
  ReplayMismatchError,
  toRecordedError,
  toRecordedValue,
} from './recording.ts';

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
export class Journal implements Environment {
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
