import type { TableSpec } from '../sql/database.ts';
import { AUDIT, DECISIONS, ENTRIES, HOLDS, INPUTS, RUNS, TASKS } from '../sql/database.ts';
import { type KnownRow, keyText, type RunKnowledge } from './run-knowledge.ts';
import type { BufferedTx } from './buffered-tx.ts';

/** Returns the known rows of a run after the writes of a transaction were committed. */
export function nextKnowledge(
  before: RunKnowledge,
  { buffer, messageCount }: Pick<BufferedTx, 'buffer' | 'messageCount'>,
  version: string,
): RunKnowledge {
  const next = <Row extends object>(
    spec: TableSpec<Row>,
    known: readonly (KnownRow<Row> | undefined)[],
  ): readonly KnownRow<Row>[] => {
    const kept = known.flatMap((one) => {
      if (one === undefined) return [];
      const buffered = buffer.find(spec, keyText(spec, one.row));
      if (buffered === undefined) return [one];
      return buffered === null ? [] : [{ row: Object.freeze({ ...buffered }), version }];
    });
    const inserted = buffer
      .inserted(spec)
      .map((row) => ({ row: Object.freeze({ ...row }), version }));
    return [...kept, ...inserted];
  };
  const [run] = next(RUNS, [before.run]);
  const tasks = next(TASKS, [before.task]);
  const holds = next(HOLDS, before.holds).filter(({ row }) => row.state !== 'consumed');
  const holdIds = new Set(holds.map(({ row }) => row.id));
  const decisions = [...before.decisions, ...buffer.inserted(DECISIONS)];
  // Infinity without holds.
  const auditAfter = Math.min(...holds.map(({ row }) => row.auditFrom ?? 0));
  // All entries after these two numbers are known.
  const knownAfter = (buffer.inserted(AUDIT)[0]?.number ?? Number.POSITIVE_INFINITY) - 1;
  const isKnown = auditAfter >= Math.min(before.auditAfter, knownAfter);
  return {
    run,
    task: tasks.find(({ row }) => row.kind === 'run'),
    holds,
    decisions: decisions.filter(({ holdId }) => holdIds.has(holdId)),
    inputs: next(INPUTS, before.inputs),
    entries: next(ENTRIES, before.entries).slice(-MAX_ENTRIES),
    audit: [...before.audit, ...buffer.inserted(AUDIT)].filter(({ number }) => number > auditAfter),
    auditAfter: isKnown ? auditAfter : knownAfter,
    messageCount,
    restoredFromBackupAt: before.restoredFromBackupAt,
  };
}

/** The number of ledger entries that are cached, the latest ones. */
const MAX_ENTRIES = 200;
