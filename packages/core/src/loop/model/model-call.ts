import type { SnapshotCall } from '../../models/call-snapshot.ts';
import type { Run } from '../run.ts';

/** Returns the model call of the current step. Pending calls are closed in the model history. */
export function modelCallFor(run: Run, instructions: string | undefined): SnapshotCall {
  const { text, definitions: outputTools } = run.outputPlan;
  run.state.modelHistory.cancelPendingCalls();
  const historySnapshot = run.state.modelHistory.snapshot();
  return {
    historySnapshot,
    messages: historySnapshot.messages,
    instructions,
    functionTools: run.definitions,
    outputTools,
    nativeTools: run.nativeTools,
    allowText: text !== undefined,
    outputSchema: text?.native,
    settings: run.state.modelSettings,
    signal: run.cancellation.signal,
  };
}
