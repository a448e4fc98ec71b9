import { LedgerError } from '../errors/agent-errors.ts';
import { canonicalJson } from '../internal/canonical-json.ts';
import { isPlainObject, type JsonValue } from '../internal/json.ts';
import { sha256 } from '../internal/sha-256.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';
import type { Ledger, LedgerKey } from './ledger.ts';

/** The call that sub-agents execute, and the attempt that they belong to. */
interface SubAgentAttempt {
  readonly ledger: Ledger;
  /** The name of the call. It is the same in every process. */
  readonly step: string;
  /** The name of this attempt: the id of the run of the outermost sub-agent. */
  readonly attempt: string;
  /** The attempts whose calls are in the history that this one continues. */
  readonly before: ReadonlySet<string>;
  /** Throws if the ledger may have forgotten entries of the call. */
  requireRetained(): Promise<void>;
}

/** A call of a sub-agent that is about to be claimed. */
interface CallToRecord {
  readonly call: ToolCallPart;
  /** The key that the call has in this attempt. */
  readonly own: LedgerKey;
  /** True if it may execute although an earlier attempt made calls that this one has not made. */
  readonly allowDivergence: boolean;
}

/** The record of a call: the attempt that made it, and the key of its outcome. */
interface RecordedCall {
  readonly attempt: string;
  readonly own: LedgerKey;
  readonly key: LedgerKey;
  readonly content: string;
}

/**
 * The calls that the sub-agents of one call have made, at any depth, as a list in the ledger.
 *
 * A sub-agent restarts after a crash, and its model may respond differently. Its calls are
 * therefore recognised by their content and not by their index. A call that an earlier attempt made
 * is the same call. Until this attempt has repeated all earlier calls, a new call may replace one
 * of them.
 */
export class SubAgentCalls {
  readonly #attempt: SubAgentAttempt;
  #calls: RecordedCall[] | undefined;
  /** The keys of the calls that are in the history of this attempt. */
  readonly #used = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(attempt: SubAgentAttempt) {
    this.#attempt = attempt;
  }

  /**
   * Records a call. Returns the key of its outcome, or `undefined` if an earlier attempt made other calls.
   *
   * Calls are recorded one after the other, and each before it executes.
   */
  record(call: CallToRecord): Promise<LedgerKey | undefined> {
    const recording = this.#turn.then(() => this.#record(call));
    this.#turn = recording.catch(() => {});
    return recording;
  }

  async #record({ call, own, allowDivergence }: CallToRecord): Promise<LedgerKey | undefined> {
    const calls = (this.#calls ??= await this.#read());
    const content = await sha256(sameCallText(call));
    for (;;) {
      const isUnused = ({ key }: RecordedCall) => !this.#used.has(textOfKey(key));
      const known =
        calls.find((recorded) => textOfKey(recorded.own) === textOfKey(own)) ??
        calls.find((recorded) => recorded.content === content && isUnused(recorded));
      if (known === undefined && !allowDivergence && calls.some(isUnused)) return undefined;
      const key = known?.key ?? own;
      const recorded = { attempt: this.#attempt.attempt, own, key, content };
      const other = await this.#write(calls.length, recorded);
      calls.push(other ?? recorded);
      if (other !== undefined) continue;
      this.#used.add(textOfKey(key));
      return key;
    }
  }

  async #read(): Promise<RecordedCall[]> {
    const { ledger, before, attempt: current, requireRetained } = this.#attempt;
    await requireRetained();
    const calls: RecordedCall[] = [];
    for (;;) {
      const entry = await ledger.read(this.#keyAt(calls.length));
      if (entry === undefined) break;
      calls.push(readRecorded(entry.state === 'settled' ? entry.outcome : null));
    }
    for (const { attempt, key } of calls) {
      // On replay, this attempt has made calls in an earlier process. They are in its history, or made again.
      if (attempt === current || before.has(attempt)) this.#used.add(textOfKey(key));
    }
    return calls;
  }

  /** Records a call at an index. Returns the call that another process recorded there first, if any. */
  async #write(
    index: number,
    { attempt, own, key, content }: RecordedCall,
  ): Promise<RecordedCall | undefined> {
    const outcome = { attempt, own: { ...own }, key: { ...key }, content };
    const state = await this.#attempt.ledger.record(this.#keyAt(index), { outcome });
    if (state.state === 'recorded') return undefined;
    return readRecorded(state.state === 'settled' ? state.outcome : null);
  }

  #keyAt(index: number): LedgerKey {
    return Object.freeze({ step: this.#attempt.step, slot: `sub-agent:${index}` });
  }
}

function readRecorded(stored: JsonValue): RecordedCall {
  if (isPlainObject(stored)) {
    const { attempt, own, key, content } = stored;
    if (typeof attempt === 'string' && typeof content === 'string' && isKey(own) && isKey(key)) {
      return { attempt, own, key, content };
    }
  }
  throw new LedgerError(
    'broken-entry',
    'A ledger entry for the calls of a sub-agent is not the record of a call, so it is unknown which calls executed. ' +
      'Check that only Holdpoint writes to the ledger, and start a new run.',
  );
}

function isKey(value: unknown): value is LedgerKey {
  return (
    isPlainObject(value) && typeof value['step'] === 'string' && typeof value['slot'] === 'string'
  );
}

/** Returns a text that is unique to a key. */
function textOfKey({ step, slot }: LedgerKey): string {
  return JSON.stringify([step, slot]);
}

/** Returns a text that is equal for calls of the same tool with the same arguments. */
export function sameCallText({ toolName, args }: Pick<ToolCallPart, 'toolName' | 'args'>): string {
  const parsed = parseArgs(args);
  try {
    return `${toolName} ${canonicalJson(parsed.ok ? parsed.value : args)}`;
  } catch {
    // Some arguments have no canonical form, such as numbers that are not finite.
    return `${toolName} ${JSON.stringify(args)}`;
  }
}
