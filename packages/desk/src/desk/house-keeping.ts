import { runRetentionJob } from '../retention/retention-job.ts';
import { rebuildSearch } from '../transitions/rebuild-search.ts';
import type { DeskContext } from './desk-context.ts';

/** Rebuilds search texts and applies the retention, until the signal aborts. */
export async function keepHouse(
  { store, redaction, onError, retention }: DeskContext,
  signal: AbortSignal,
): Promise<void> {
  const rebuilding = rebuildSearch(store, redaction, signal).catch((error: unknown) =>
    onError(error),
  );
  const retaining = runRetentionJob({ store, policy: retention, signal, onError });
  await Promise.all([rebuilding, retaining]);
}
