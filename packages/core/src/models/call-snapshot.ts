import type { HistorySnapshot } from '../messages/history.ts';
import type { ModelCall } from './model.ts';

/** A model call of a run, with the snapshot that its messages are from. A hook that spreads the call keeps it. */
export interface SnapshotCall extends ModelCall {
  readonly historySnapshot: HistorySnapshot;
}

/** Returns the snapshot of a model call, or `undefined` if a run did not make the call. */
export function snapshotOf(call: ModelCall): HistorySnapshot | undefined {
  // Only the calls of a run and their copies have this member.
  return (call as Partial<SnapshotCall>).historySnapshot;
}
