import { LedgerError } from '../errors/ledger-errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerKey } from '../ledger/ledger-key.ts';
import { sameCallText } from '../ledger/same-call.ts';
import { sha256 } from '../internal/sha-256.ts';
import { isPlainObject, type JsonValue } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';

/** Which call of a run agents are at work for, and who they are. */
export interface PlaceBelow {
  readonly ledger: Ledger;
  /** Names the call, the same in every process. */
  readonly step: string;
  /** Names this attempt at it: the id of the first run below. */
  readonly attempt: string;
  /** The attempts whose work is in the history that this one goes on with. */
  readonly before: ReadonlySet<string>;
  /** Throws if the ledger may have forgotten what it knew of the call. */
  requireKnown(): Promise<void>;
}

/** A call of an agent below that is about to be claimed. */
interface CallToTake {
  readonly call: ToolCallPart;
  /** The key that it has in this attempt. */
  readonly own: LedgerKey;
  /** Whether it may run although an earlier attempt has made calls that this one has not made. */
  readonly mayDiffer: boolean;
}

/** What is kept of a call: who made it, and under which key its outcome is. */
interface Noted {
  readonly attempt: string;
  readonly own: LedgerKey;
  readonly key: LedgerKey;
  readonly content: string;
}

/**
 * The calls that agents below one call of a run have made, at any depth, as a list in the ledger.
 *
 * An agent that a crash has stopped begins again where its history was stored, if at all, and its model
 * may say something else. So its calls are not known by their place, but by what they are: one that an
 * earlier attempt has made is that one, and as long as there are some that this attempt has not made
 * again, nobody knows whether another one stands for them.
 */
export class CallsBelow {
  readonly #place: PlaceBelow;
  #notes: Noted[] | undefined;
  /** The keys of calls that are in the history of this attempt. */
  readonly #used = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(place: PlaceBelow) {
    this.#place = place;
  }

  /**
   * Takes note of a call, and gives the key under which its outcome is, or will be; `undefined` if an
   * earlier attempt has gone another way. One after the other: a call is noted before the next one runs.
   */
  take(toTake: CallToTake): Promise<LedgerKey | undefined> {
    const taking = this.#turn.then(() => this.#take(toTake));
    this.#turn = taking.catch(() => {});
    return taking;
  }

  async #take({ call, own, mayDiffer }: CallToTake): Promise<LedgerKey | undefined> {
    const notes = (this.#notes ??= await this.#read());
    const content = await sha256(sameCallText(call));
    for (;;) {
      const isOpen = ({ key }: Noted) => !this.#used.has(idOf(key));
      const known =
        notes.find((noted) => idOf(noted.own) === idOf(own)) ??
        notes.find((noted) => noted.content === content && isOpen(noted));
      if (known === undefined && !mayDiffer && notes.some(isOpen)) return undefined;
      const key = known?.key ?? own;
      const note = { attempt: this.#place.attempt, own, key, content };
      const other = await this.#write(notes.length, note);
      notes.push(other ?? note);
      if (other !== undefined) continue;
      this.#used.add(idOf(key));
      return key;
    }
  }

  async #read(): Promise<Noted[]> {
    const { ledger, before, attempt: current, requireKnown } = this.#place;
    await requireKnown();
    const notes: Noted[] = [];
    for (;;) {
      const entry = await ledger.read(this.#keyAt(notes.length));
      if (entry === undefined) break;
      notes.push(readNote(entry.state === 'settled' ? entry.outcome : null));
    }
    for (const { attempt, key } of notes) {
      // On replay, this attempt has made calls in an earlier process. They are in its history, or made again.
      if (attempt === current || before.has(attempt)) this.#used.add(idOf(key));
    }
    return notes;
  }

  /** Writes a note, unless somebody else is at it at the same time: then, what that one has written. */
  async #write(index: number, { attempt, own, key, content }: Noted): Promise<Noted | undefined> {
    const outcome = { attempt, own: { ...own }, key: { ...key }, content };
    const state = await this.#place.ledger.record(this.#keyAt(index), { outcome });
    if (state.state === 'recorded') return undefined;
    return readNote(state.state === 'settled' ? state.outcome : null);
  }

  #keyAt(index: number): LedgerKey {
    return Object.freeze({ step: this.#place.step, slot: `below:${index}` });
  }
}

function readNote(stored: JsonValue): Noted {
  if (isPlainObject(stored)) {
    const { attempt, own, key, content } = stored;
    if (typeof attempt === 'string' && typeof content === 'string' && isKey(own) && isKey(key)) {
      return { attempt, own, key, content };
    }
  }
  throw new LedgerError(
    'broken-entry',
    'What the ledger has of the calls of an agent is not a note of a call. Was it written by something else? Start a new run.',
  );
}

function isKey(value: unknown): value is LedgerKey {
  return (
    isPlainObject(value) && typeof value['step'] === 'string' && typeof value['slot'] === 'string'
  );
}

/** One text for both parts of a key, another one for every other key. */
function idOf({ step, slot }: LedgerKey): string {
  return JSON.stringify([step, slot]);
}
