import { parkedTraceparent } from 'holdpoint/messages';
import type { ReportError } from '../errors/report-error.ts';
import { closesHold, type Decision, editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { ReadTx, Store } from '../store/store.ts';
import type { DeskTelemetry, HoldEnd } from '../telemetry/desk-telemetry.ts';
import { HistoryWriter } from './history-writer.ts';

/** The parts of a desk that report settled holds. */
export interface TelemetryContext {
  readonly store: Store;
  readonly telemetry: DeskTelemetry | undefined;
  readonly onError: ReportError;
}

/** Reports a hold to the telemetry if it is settled. It never fails the operation that settled it. */
export async function reportSettled(context: TelemetryContext, hold: HoldRow): Promise<void> {
  const { store, telemetry, onError } = context;
  if (telemetry === undefined || hold.state === 'open') return;
  const { tenant, conversationId, id } = hold;
  try {
    const { rows, decision } = await store.read(async (tx) => ({
      rows: await tx.messages.from(tenant, conversationId, 0),
      decision: (await tx.decisions.ofHold(tenant, id)).at(-1)?.decision,
    }));
    const traceparent = parkedTraceparent(new HistoryWriter(rows).loaded);
    const end: HoldEnd | undefined =
      hold.outcome === 'decided' ? decision && endOf(hold, decision) : hold.outcome;
    if (end !== undefined) telemetry.holdSettled({ hold, outcome: end, traceparent });
  } catch (error) {
    onError(error, { tenant, runId: hold.runId });
  }
}

function endOf(hold: HoldRow, decision: Decision): HoldEnd {
  if (editedArgs(decision) !== undefined) return 'edited';
  if (decision.kind === 'approve') return 'approved';
  if (decision.kind === 'input') return 'input';
  if (!closesHold(hold, decision)) return 'result';
  return decision.kind === 'deny' ? 'denied' : 'changes-requested';
}

/** Executes an operation that may settle all holds of a run, and reports those that it settled. */
export async function reportingSettled<Result>(
  context: TelemetryContext,
  runOf: (tx: ReadTx) => Promise<readonly [tenant: string, runId: string] | undefined>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { store, telemetry } = context;
  if (telemetry === undefined) return work();
  const open = await store.read(async (tx) => {
    const run = await runOf(tx);
    return run === undefined ? [] : tx.holds.ofRun(...run, ['open']);
  });
  const result = await work();
  for (const { tenant, id } of open) {
    const hold = await store.read((tx) => tx.holds.get(tenant, id));
    const isOfThis = hold?.outcome === 'cancelled' || hold?.outcome === 'superseded';
    if (isOfThis) await reportSettled(context, hold);
  }
  return result;
}
