import { type JsonValue, type Ledger, LedgerError, UserError } from 'holdpoint';
import type {
  LedgerClaimOptions,
  LedgerClaimState,
  LedgerEntryState,
  LedgerClaim,
  LedgerKey,
  LedgerRecordOptions,
  LedgerRecordState,
  LedgerResolution,
} from 'holdpoint/ledger';
import type { EntryRow } from '../model/entry-row.ts';
import { toJson } from '../model/json.ts';
import { newId } from '../model/new-id.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedTask } from '../transitions/claimed-run.ts';
import { requireClaim } from '../transitions/tasks.ts';
import type { CallDeadlines } from './call-deadlines.ts';
import { digestText, keyText, stateOf, takenBy } from './entry-state.ts';
import { type CallNote, recordCall } from './record-call.ts';

/**
 * The ledger of a tenant, in a store.
 *
 * The ledger of a claimed run starts no call when the claim is lost, or after its deadline, and records the outcomes of
 * calls in the audit of the run.
 */
export function storeLedger(
  store: Store,
  tenant: string,
  claim?: TaskClaim | undefined,
  deadlines?: CallDeadlines | undefined,
): Ledger {
  return new StoreLedger(store, tenant, claim, deadlines);
}

class StoreLedger implements Ledger {
  readonly #store: Store;
  readonly #tenant: string;
  readonly #run: TaskClaim | undefined;
  readonly #deadlines: CallDeadlines | undefined;

  constructor(
    store: Store,
    tenant: string,
    run: TaskClaim | undefined,
    deadlines: CallDeadlines | undefined,
  ) {
    this.#store = store;
    this.#tenant = tenant;
    this.#run = run;
    this.#deadlines = deadlines;
  }

  retainedSince(): Promise<number> {
    const run = this.#run;
    return this.#store.read(async (tx) => {
      if (run === undefined) return tx.ledgerKnowsSince();
      // All steps of a run are younger than it is, so only the clock of the store is needed.
      const { createdAt = 0 } = (await tx.runs.get(run.tenant, run.id)) ?? {};
      const forgotten = await tx.restoredFromBackupAt();
      if (createdAt < forgotten) throw stepForgotten(forgotten);
      return 0;
    });
  }

  async claim(key: LedgerKey, { digest, lease }: LedgerClaimOptions): Promise<LedgerClaimState> {
    requireLease(lease);
    const { step, slot } = key;
    const attempt = newId();
    const taken = await this.#write({ key: { step, slot }, kind: 'call-started' }, async (tx) => {
      if (this.#run !== undefined) await claimedTask(tx, this.#run);
      const now = await tx.now();
      const inTheWay = await this.#insert(tx, key, {
        state: 'claimed',
        attempt,
        until: now + lease,
        digest: digestText(digest),
        changedAt: now,
      });
      // Only a call that would start now can be too late. A call that has started is not requested again.
      if (inTheWay === undefined) this.#deadlines?.require(digest, now);
      return inTheWay;
    });
    if (taken !== undefined) return taken;
    return Object.freeze({
      state: 'held',
      claim: Object.freeze({ key: Object.freeze({ step, slot }), attempt }),
    });
  }

  async extend(claim: LedgerClaim, lease: number): Promise<'extended' | 'lost'> {
    requireLease(lease);
    return this.#store.write(async (tx) => {
      const entry = await this.#entryOf(tx, claim);
      if (entry?.state !== 'claimed') return 'lost';
      const now = await tx.now();
      await tx.entries.put({ ...entry, until: now + lease, changedAt: now });
      return 'extended';
    });
  }

  release(claim: LedgerClaim): Promise<void> {
    return this.#store.write(async (tx) => {
      const entry = await this.#entryOf(tx, claim);
      if (entry?.state === 'claimed') await tx.entries.remove(this.#tenant, entry.key);
    });
  }

  async settle(claim: LedgerClaim, outcome: JsonValue): Promise<'settled' | 'lost'> {
    const kept = toJson(outcome);
    const note: CallNote = { key: claim.key, kind: 'call-settled', outcome: kept };
    const said = await this.#write(note, async (tx) => {
      const entry = await this.#entryOf(tx, claim);
      if (entry === undefined) return 'lost';
      if (entry.state === 'settled') return 'settled';
      await tx.entries.put({ ...entry, ...SETTLED, outcome: kept, changedAt: await tx.now() });
      return undefined;
    });
    return said ?? 'settled';
  }

  async doubt(claim: LedgerClaim, reason: string): Promise<void> {
    await this.#write({ key: claim.key, kind: 'call-in-doubt' }, async (tx) => {
      const entry = await this.#entryOf(tx, claim);
      if (entry?.state !== 'claimed') return UNCHANGED;
      const now = await tx.now();
      await tx.entries.put({ ...entry, state: 'in-doubt', reason, since: now, changedAt: now });
      return undefined;
    });
  }

  async record(
    key: LedgerKey,
    { digest, outcome }: LedgerRecordOptions,
  ): Promise<LedgerRecordState> {
    const kept = toJson(outcome);
    const taken = await this.#write({ key, kind: 'call-recorded', outcome: kept }, async (tx) =>
      this.#insert(tx, key, {
        state: 'settled',
        outcome: kept,
        digest: digestText(digest),
        changedAt: await tx.now(),
      }),
    );
    return taken ?? Object.freeze({ state: 'recorded' });
  }

  async resolve(claim: LedgerClaim, resolution: LedgerResolution): Promise<'resolved' | 'lost'> {
    const kept = resolution.kind === 'outcome' ? toJson(resolution.outcome) : undefined;
    const note: CallNote = { key: claim.key, kind: 'call-resolved', outcome: kept };
    const unchanged = await this.#write(note, async (tx) => {
      const entry = await this.#entryOf(tx, claim);
      const now = await tx.now();
      if (entry === undefined || stateOf(entry, claim.key, now).state !== 'doubt') return UNCHANGED;
      if (kept === undefined) await tx.entries.remove(this.#tenant, entry.key);
      else {
        const settled = { ...entry, ...SETTLED, attempt: undefined, outcome: kept };
        await tx.entries.put({ ...settled, changedAt: now });
      }
      return undefined;
    });
    return unchanged === undefined ? 'resolved' : 'lost';
  }

  async requireActive(): Promise<void> {
    if (this.#run !== undefined) await requireClaim(this.#store, this.#run);
  }

  read(key: LedgerKey): Promise<LedgerEntryState | undefined> {
    return this.#store.read(async (tx) => {
      const entry = await tx.entries.get(this.#tenant, keyText(key));
      return entry && stateOf(entry, key, await tx.now());
    });
  }

  /** Adds an entry to a free key; of one that is not free, what stands in the way. */
  async #insert(
    tx: Tx,
    key: LedgerKey,
    fields: Omit<EntryRow, 'tenant' | 'key' | 'runId'>,
  ): Promise<Exclude<LedgerClaimState, { readonly state: 'held' }> | undefined> {
    const row = { ...fields, tenant: this.#tenant, key: keyText(key), runId: this.#run?.id };
    for (;;) {
      const entry = await tx.entries.lock(row.tenant, row.key);
      if (entry !== undefined) return takenBy(entry, key, fields.digest, await tx.now());
      // Another worker may insert it between the read and the insert. Then the next read finds it.
      if (await tx.entries.insert(row)) return undefined;
    }
  }

  /** Changes the ledger, and notes it in the audit of the run unless something stood in the way. */
  #write<Unchanged>(
    note: CallNote,
    work: (tx: Tx) => Promise<Unchanged | undefined>,
  ): Promise<Unchanged | undefined> {
    const run = this.#run;
    return this.#store.write(async (tx) => {
      // The run is locked before everything else, as it always is.
      if (run !== undefined) await tx.runs.lock(run.tenant, run.id);
      const unchanged = await work(tx);
      if (run !== undefined && unchanged === undefined) await recordCall(tx, run, note);
      return unchanged;
    });
  }

  /** The entry, locked, if it is still about this attempt. */
  async #entryOf(tx: Tx, { key, attempt }: LedgerClaim): Promise<EntryRow | undefined> {
    const entry = await tx.entries.lock(this.#tenant, keyText(key));
    return entry?.attempt === attempt ? entry : undefined;
  }
}

const UNCHANGED = 'unchanged';

/** The members that a settled entry no longer has. */
const SETTLED = {
  state: 'settled',
  until: undefined,
  since: undefined,
  reason: undefined,
} as const;

function stepForgotten(time: number): LedgerError {
  return new LedgerError(
    'step-forgotten',
    `Nothing was executed: the run is from before ${new Date(time).toISOString()}, when the database was restored ` +
      'from a backup. Check what the run has done, cancel it, and start another one for the rest.',
  );
}

function requireLease(lease: number): void {
  if (lease > 0 && Number.isFinite(lease)) return;
  throw new UserError(`The lease is ${lease}; give a number of milliseconds above 0.`);
}
