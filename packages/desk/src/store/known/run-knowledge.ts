import type { AuditRow } from '../../model/audit-row.ts';
import type { DecisionRow } from '../../model/decision-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { InputRow } from '../../model/input-row.ts';
import type { MessageRow } from '../../model/message-row.ts';
import type { RunRow } from '../../model/run-row.ts';
import type { TaskRow } from '../../model/task-row.ts';
import type { TableSpec } from '../sql/database.ts';
import { keyOf } from '../sql/sql-table.ts';

/**
 * A row as this process read or wrote it last. On PostgreSQL the version is the `xmin` of the row: each update changes
 * it. On SQLite one version of the database stands for all rows, so theirs are empty.
 */
export interface KnownRow<Row> {
  readonly row: Row;
  readonly version: string;
}

/**
 * The rows of a run that this process knows. They may have changed since, so a transaction that relies on them
 * verifies their versions at its commit, or the version of the database at its start.
 *
 * Lists are complete while the row of the run has the same version, because each change of a run's
 * rows changes this version. Leases and entries of the ledger are exceptions, and have their own
 * versions.
 */
export interface RunKnowledge {
  readonly run: KnownRow<RunRow> | undefined;
  readonly task: KnownRow<TaskRow> | undefined;
  /** The holds that the run has not consumed, in the order of their calls. */
  readonly holds: readonly KnownRow<HoldRow>[];
  /** The decisions on these holds, in the order of their numbers. */
  readonly decisions: readonly DecisionRow[];
  readonly inputs: readonly KnownRow<InputRow>[];
  /** Some entries of the ledger. */
  readonly entries: readonly KnownRow<EntryRow>[];
  /** The audit entries after `auditAfter`. */
  readonly audit: readonly AuditRow[];
  readonly auditAfter: number;
  /** The number of messages of the conversation. */
  readonly messageCount: number;
  /** The messages, if they were read with the claim. */
  readonly messages?: readonly MessageRow[] | undefined;
  readonly restoredFromBackupAt: number;
}

/** The knowledge about a run that does not exist yet. */
export const NEW_RUN: RunKnowledge = Object.freeze({
  run: undefined,
  task: undefined,
  holds: [],
  decisions: [],
  inputs: [],
  entries: [],
  audit: [],
  auditAfter: 0,
  messageCount: 0,
  // A run that starts now is younger than any backup, so its start does not depend on this value.
  restoredFromBackupAt: 0,
});

/** The keys of rows as texts. Rows are frozen, and most are looked up in several transactions. */
const keyTexts = new WeakMap<object, string>();

/** Returns the key of a row as text. */
export function keyText<Row extends object>(spec: TableSpec<Row>, row: Row): string {
  const known = keyTexts.get(row) ?? JSON.stringify(keyOf(spec, row));
  keyTexts.set(row, known);
  return known;
}

/** The number of runs that a process caches. */
const MAX_RUNS = 1_000;

/** The knowledge about the runs that this process used last. */
export class KnownRuns {
  readonly #runs = new Map<string, RunKnowledge>();
  readonly #runsByHold = new Map<string, string>();

  get(tenant: string, runId: string): RunKnowledge | undefined {
    return this.#runs.get(JSON.stringify([tenant, runId]));
  }

  /** Returns the id of the run of a hold, if the hold is known. */
  runOfHold(tenant: string, holdId: string): string | undefined {
    return this.#runsByHold.get(JSON.stringify([tenant, holdId]));
  }

  /** Caches the rows of a run, or removes a run that has ended. */
  set(tenant: string, runId: string, knowledge: RunKnowledge): void {
    this.forget(tenant, runId);
    if (knowledge.task === undefined) return;
    this.#runs.set(JSON.stringify([tenant, runId]), knowledge);
    for (const { row } of knowledge.holds) {
      this.#runsByHold.set(JSON.stringify([tenant, row.id]), runId);
    }
    const [oldest] = this.#runs;
    if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#forgetKey(oldest[0]);
  }

  clear(): void {
    this.#runs.clear();
    this.#runsByHold.clear();
  }

  forget(tenant: string, runId: string): void {
    this.#forgetKey(JSON.stringify([tenant, runId]));
  }

  #forgetKey(key: string): void {
    for (const { row } of this.#runs.get(key)?.holds ?? []) {
      this.#runsByHold.delete(JSON.stringify([row.tenant, row.id]));
    }
    this.#runs.delete(key);
  }
}
