import { type Environment, liveEnvironment } from '../context/environment.ts';
import { nextTurn } from './next-turn.ts';
import {
  fromRecordedError,
  fromRecordedValue,
  type RecordedArrival,
  type RecordedRequest,
  type Recording,
  toRecordedError,
  toRecordedValue,
} from './recording.ts';
import { ReplayMismatchError } from './replay-mismatch-error.ts';

/** How a step or a sleep ended, as the recording says it. */
type Ending = Pick<RecordedArrival, 'value' | 'error'>;

/** A step or a sleep that has ended outside. */
interface Ended {
  readonly of: number;
  readonly ending: Ending;
  /** Hands the original result to the run. */
  readonly tell: () => void;
}

/** Plays a recording back, possibly an empty one, and goes on recording where it ends. */
export class Journal implements Environment {
  readonly #past: Recording;
  readonly #base: Environment;
  readonly #asked: RecordedRequest[] = [];
  readonly #arrived: RecordedArrival[] = [];
  /** What has ended outside and has not reached the run yet. */
  readonly #ended: Ended[] = [];
  /** Hands a recorded ending to the run, by the request that has it. */
  readonly #endsInPast = new Map<number, (ending: Ending) => void>();
  readonly #knownEnds: ReadonlySet<number>;
  #remaining: number;
  #delivering = false;
  #mismatch: ReplayMismatchError | undefined;

  constructor(past: Recording, base: Environment) {
    this.#past = past;
    this.#base = base;
    this.#knownEnds = new Set(past.arrived.map(({ of }) => of));
    this.#remaining = past.arrived.filter(({ of }) => past.asked[of]?.kind === 'step').length;
  }

  get recording(): Recording {
    return { asked: [...this.#asked], arrived: [...this.#arrived] };
  }

  get remaining(): number {
    return this.#remaining;
  }

  now(): number {
    return this.#ask('now', () => ({ kind: 'now', value: this.#base.now() })).value;
  }

  newId(): string {
    return this.#ask('id', () => ({ kind: 'id', value: this.#base.newId() })).value;
  }

  random(): number {
    return this.#ask('random', () => ({ kind: 'random', value: this.#base.random() })).value;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#ask('sleep', () => ({ kind: 'sleep', ms }));
    return this.#end('sleep', () => this.#base.sleep(ms, signal));
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    this.#ask('step', () => ({ kind: 'step', name }), name);
    return this.#end(name, () => this.#base.step(name, action));
  }

  // The order comes from the deliveries, so `all` and `race` need not know about it.
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

  /** Takes the next request from the recording, or makes it where the recording has ended. */
  #ask<Kind extends RecordedRequest['kind']>(
    kind: Kind,
    make: () => RequestOf<Kind>,
    name?: string,
  ): RequestOf<Kind> {
    if (this.#mismatch) throw this.#mismatch;
    const position = this.#asked.length;
    const request = this.#past.asked[position] ?? make();
    const wanted = label({ kind, name });
    if (!isOfKind(request, kind) || label(request) !== wanted) {
      this.#mismatch = new ReplayMismatchError(label(request), wanted, position);
      throw this.#mismatch;
    }
    this.#asked.push(request);
    void this.#deliver();
    return request;
  }

  /** Waits for the end of the last request; acts only if the recording does not know that end. */
  #end<T>(name: string, act: () => Promise<T>): Promise<T> {
    const of = this.#asked.length - 1;
    return new Promise<T>((resolve, reject) => {
      if (this.#knownEnds.has(of)) {
        this.#endsInPast.set(of, ({ value, error }) =>
          error ? reject(fromRecordedError(error)) : resolve(fromRecordedValue(value) as T),
        );
        return;
      }
      const end = (ending: Ending, tell: () => void) => {
        this.#ended.push({ of, ending, tell });
        void this.#deliver();
      };
      // The action starts at once, and what it throws at once is a rejection too.
      new Promise<T>((started) => started(act()))
        .then((value) => end(toReturned(value, name), () => resolve(value)))
        .catch((error: unknown) => end({ error: toRecordedError(error) }, () => reject(error)));
    });
  }

  /** Lets endings reach the run one at a time, so that it has dealt with one before the next comes. */
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
    const recorded = this.#past.arrived[this.#arrived.length];
    if (recorded) return recorded.after <= this.#asked.length ? this.#playing(recorded) : undefined;
    const ended = this.#ended[0];
    return ended && this.#recording(ended);
  }

  #playing(arrival: RecordedArrival): () => void {
    return () => {
      this.#arrived.push(arrival);
      if (this.#past.asked[arrival.of]?.kind === 'step') this.#remaining -= 1;
      this.#endsInPast.get(arrival.of)?.(arrival);
    };
  }

  #recording({ of, ending, tell }: Ended): () => void {
    return () => {
      this.#ended.shift();
      this.#arrived.push({ of, after: this.#asked.length, ...ending });
      tell();
    };
  }
}

/** A return that JSON has nothing to hold of leaves no member behind, so that recordings stay JSON. */
function toReturned(value: unknown, name: string): Ending {
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

function label({
  kind,
  name,
}: {
  readonly kind: string;
  readonly name?: string | undefined;
}): string {
  return name === undefined ? kind : `${kind} ${name}`;
}
