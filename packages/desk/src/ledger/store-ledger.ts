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
import type { AuditKind } from '../model/audit-row.ts';
import type { EntryRow } from '../model/entry-row.ts';
import { toJson } from '../model/json.ts';
import { newId } from '../model/new-id.ts';
import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { Store, Tx } from '../store/store.ts';
import { RunChange } from '../transitions/run-change.ts';
import type { RunWriter } from '../transitions/run-writer.ts';
import { requireClaim } from '../transitions/tasks.ts';
import type { CallDeadlines } from './call-deadlines.ts';
import { digestText, keyText, stateOf, takenBy } from './entry-state.ts';
import { type CallNote, recordCall } from './record-call.ts';

/** The run for which a worker uses a ledger. */
export interface LedgerRun {
  readonly writer: RunWriter;
  readonly deadlines: CallDeadlines;
  /** The entries of the run when the worker claimed it. */
  readonly entries: readonly EntryRow[];
}

/** Returns the ledger of a tenant, in a store. */
export function storeLedger(store: Store, tenant: string): Ledger {
  return new StoreLedger(store, tenant, undefined);
}

/**
 * Returns the ledger of a claimed run. It starts no call after the claim is lost or its deadline
 * has passed. It records the outcomes of calls in the audit of the run.
 */
export function ledgerOfRun(store: Store, tenant: string, run: LedgerRun): Ledger {
  return new StoreLedger(store, tenant, run);
}

class StoreLedger implements Ledger {
  readonly #store: Store;
  readonly #tenant: string;
  readonly #run: LedgerRun | undefined;
  /** Approval requests that were recorded before this worker claimed the run. A request never changes. */
  readonly #requests: ReadonlyMap<string, EntryRow>;

  constructor(store: Store, tenant: string, run: LedgerRun | undefined) {
    this.#store = store;
    this.#tenant = tenant;
    this.#run = run;
    const recorded = (run?.entries ?? []).filter(({ state }) => state === 'settled');
    this.#requests = new Map(recorded.map((entry) => [entry.key, entry]));
  }

  async retainedSince(): Promise<number> {
    // The ledger of a run verifies in each transaction that its entries of the run are complete.
    if (this.#run !== undefined) return 0;
    return this.#store.read((tx) => tx.ledgerKnowsSince());
  }

  async claim(key: LedgerKey, { digest, lease }: LedgerClaimOptions): Promise<LedgerClaimState> {
    requireLease(lease);
    const { step, slot } = key;
    const attempt = newId();
    const taken = await this.#write({ key: { step, slot }, kind: 'call-started' }, async (tx) => {
      const now = await tx.now();
      const inTheWay = await this.#insert(tx, key, {
        state: 'claimed',
        attempt,
        until: now + lease,
        digest: digestText(digest),
        changedAt: now,
      });
      // Only a call that would start now can be too late. A call that has started is not requested again.
      if (inTheWay === undefined) this.#run?.deadlines.require(digest, now);
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
    const insert = async (tx: Tx) =>
      this.#insert(tx, key, {
        state: 'settled',
        outcome: kept,
        digest: digestText(digest),
        changedAt: await tx.now(),
      });
    if (this.#run !== undefined && isRecordOfRun(key)) {
      this.#run.writer.defer(async ({ tx }) => void (await insert(tx)));
      return Object.freeze({ state: 'recorded' });
    }
    const taken = await this.#write({ key, kind: 'call-recorded', outcome: kept }, insert);
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
    if (this.#run !== undefined) await requireClaim(this.#store, this.#run.writer.claim);
  }

  async read(key: LedgerKey): Promise<LedgerEntryState | undefined> {
    const request = isRequest(key) ? this.#requests.get(keyText(key)) : undefined;
    if (request !== undefined) return stateOf(request, key, 0);
    return this.#store.read(async (tx) => {
      const entry = await tx.entries.get(this.#tenant, keyText(key));
      return entry && stateOf(entry, key, await tx.now());
    });
  }

  /** Inserts an entry; returns the existing one if its key is taken. */
  async #insert(
    tx: Tx,
    key: LedgerKey,
    fields: Omit<EntryRow, 'tenant' | 'key' | 'runId'>,
  ): Promise<Exclude<LedgerClaimState, { readonly state: 'held' }> | undefined> {
    const row = {
      ...fields,
      tenant: this.#tenant,
      key: keyText(key),
      runId: this.#run?.writer.claim.id,
    };
    for (;;) {
      const entry = await tx.entries.lock(row.tenant, row.key);
      if (entry !== undefined) return takenBy(entry, key, fields.digest, await tx.now());
      // Another worker may insert it between the read and the insert. Then the next read finds it.
      if (await tx.entries.insert(row)) return undefined;
    }
  }

  /** Changes the ledger, and records it in the audit of the run unless another entry prevents it. */
  async #write<Unchanged>(
    note: CallNote,
    work: (tx: Tx) => Promise<Unchanged | undefined>,
  ): Promise<Unchanged | undefined> {
    const run = this.#run;
    if (run === undefined) return this.#store.write(work);
    const { claim } = run.writer;
    const changeRun = async (change: RunChange) => {
      if (STARTING.includes(note.kind)) await requireRetained(change);
      const unchanged = await work(change.tx);
      if (unchanged === undefined) recordCall(change, claim, note);
      return unchanged;
    };
    try {
      return await run.writer.write(({ change }) => changeRun(change));
    } catch (error) {
      // A worker that lost the run starts no call, but the outcome of a call that it started is recorded.
      if (!(error instanceof ClaimLostError) || note.kind === 'call-started') throw error;
    }
    return this.#store.write(async (tx) => {
      const change = await RunChange.of(tx, claim.tenant, claim.id);
      if (change === undefined) return work(tx);
      const unchanged = await changeRun(change);
      await change.save();
      return unchanged;
    });
  }

  /** Locks and returns the entry, if it still belongs to this attempt. */
  async #entryOf(tx: Tx, { key, attempt }: LedgerClaim): Promise<EntryRow | undefined> {
    const entry = await tx.entries.lock(this.#tenant, keyText(key));
    return entry?.attempt === attempt ? entry : undefined;
  }
}

const UNCHANGED = 'unchanged';

/** The first records of a call. They require a ledger that is complete. */
const STARTING: readonly AuditKind[] = ['call-started', 'call-recorded'];

/** The members that a settled entry no longer has. */
const SETTLED = {
  state: 'settled',
  until: undefined,
  since: undefined,
  reason: undefined,
} as const;

/** The slots that record a step of the run itself: an approval request, or a resumption. */
function isRecordOfRun(key: LedgerKey): boolean {
  return isRequest(key) || key.slot.startsWith('round:');
}

function isRequest({ slot }: LedgerKey): boolean {
  return slot.startsWith('request:');
}

/** Throws if the database was restored from a backup after the run was started. */
async function requireRetained({ tx, run }: RunChange): Promise<void> {
  const forgotten = await tx.restoredFromBackupAt();
  // All steps of a run are younger than it is, so only the clock of the store is needed.
  if (run.createdAt < forgotten) throw stepForgotten(forgotten);
}

function stepForgotten(time: number): LedgerError {
  return new LedgerError(
    'step-forgotten',
    `Nothing was executed: the run is from before ${new Date(time).toISOString()}, when the database was restored ` +
      'from a backup. Check what the run has done, cancel it, and start another one for the rest.',
  );
}

function requireLease(lease: number): void {
  if (lease > 0 && Number.isFinite(lease)) return;
  throw new UserError(`The lease is ${lease}. Pass a number of milliseconds above 0.`);
}
