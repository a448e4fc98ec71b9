import type { JsonObject } from 'holdpoint';
import { nextTimer } from '../approvers/hold-timer.ts';
import { hashedAudit } from '../model/audit-chain.ts';
import type { AuditKind, AuditRow } from '../model/audit-row.ts';
import type { EventDetails } from '../model/desk-event.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { newId } from '../model/new-id.ts';
import type { OutboxKind } from '../model/outbox-row.ts';
import type { Person } from '../model/person.ts';
import { holdHash } from '../model/row-hash.ts';
import type { RunRow } from '../model/run-row.ts';
import {
  type HoldOutcome,
  requireHoldMove,
  requireRunMove,
  type RunState,
} from '../model/states.ts';
import type { Tx } from '../store/store.ts';

/**
 * A change of a run, which is locked: no other transaction changes it, its holds or its audit until this one ends. `save`
 * writes the changes.
 */
export class RunChange {
  readonly tx: Tx;
  readonly now: number;
  #run: RunRow;
  /** The stored run. */
  #saved: RunRow;
  readonly #recorded: AuditRow[] = [];

  constructor(tx: Tx, run: RunRow, now: number) {
    this.tx = tx;
    this.#run = run;
    this.#saved = run;
    this.now = now;
  }

  /** Locks a run to change it; `undefined` if there is none. */
  static async of(tx: Tx, tenant: string, runId: string): Promise<RunChange | undefined> {
    const run = await tx.runs.lock(tenant, runId);
    return run && new RunChange(tx, run, await tx.now());
  }

  /** The run with the changes so far. */
  get run(): RunRow {
    return this.#run;
  }

  /** Changes the state of the run. */
  move(state: RunState): void {
    requireRunMove(this.#run.state, state);
    this.set({ state });
  }

  /** Changes fields of the run. */
  set(fields: Partial<RunRow>): void {
    this.#run = { ...this.#run, ...fields, updatedAt: this.now };
  }

  /** Adds an entry to the audit of the run. */
  record(kind: AuditKind, data: JsonObject = {}, by?: Person | undefined): void {
    const { tenant, id: runId, auditCount, auditHash: previous } = this.#run;
    const number = auditCount + 1;
    const entry = { tenant, runId, number, at: this.now, kind, by, data, previous };
    const row = hashedAudit(entry);
    this.#recorded.push(row);
    // An entry is no change of the run itself: the ages of a retention policy count from its end.
    this.#run = { ...this.#run, auditCount: number, auditHash: row.hash };
  }

  /** Adds an entry about a hold, with the hash of everything in it that a decision depends on. */
  async recordHold(
    kind: AuditKind,
    hold: HoldRow,
    data: JsonObject = {},
    by?: Person | undefined,
  ): Promise<void> {
    const decisions = await this.tx.decisions.ofHold(hold.tenant, hold.id);
    this.record(kind, { holdId: hold.id, ...data, hold: holdHash(hold, decisions) }, by);
  }

  /** Enqueues an event. */
  async emit<Kind extends OutboxKind>(kind: Kind, details: EventDetails[Kind]): Promise<void> {
    const { tenant, id: runId } = this.#run;
    const id = newId();
    // The details are ids and states, which are JSON.
    const data = details as JsonObject;
    await this.tx.outbox.insert({ tenant, id, runId, kind, data, at: this.now });
  }

  /** Settles a hold that is open, or whose outcome the run has not recorded yet. */
  async settle(hold: HoldRow, outcome: HoldOutcome): Promise<HoldRow> {
    requireHoldMove(hold.state, outcome);
    const settled = { ...hold, state: outcome, outcome, settledAt: this.now };
    await this.tx.holds.put(settled);
    if (nextTimer(hold) !== undefined) await this.tx.tasks.remove(hold.tenant, 'expiry', hold.id);
    if (hold.state === 'open') this.set({ openHolds: this.#run.openHolds - 1 });
    await this.emit('hold-settled', { holdId: hold.id, outcome });
    return Object.freeze(settled);
  }

  /** Queues the run for a worker, now or after a pause. */
  async makeReady(delay = 0, attempts = 0): Promise<void> {
    const { tenant, id } = this.#run;
    this.move('ready');
    const task = await this.tx.tasks.lock(tenant, 'run', id);
    if (task === undefined) throw new Error(`Run '${id}' has no task.`);
    const again = { due: this.now + delay, attempts, givenUpAt: undefined };
    await this.tx.tasks.put({ ...task, ...again });
  }

  /** Writes the run and its audit, if they have changed. */
  async save(): Promise<RunRow> {
    for (const row of this.#recorded.splice(0)) await this.tx.audit.append(row);
    if (this.#run !== this.#saved) await this.tx.runs.put(this.#run);
    this.#saved = this.#run;
    return Object.freeze({ ...this.#run });
  }
}
