import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { PendingParts, RunPart } from '../store/retention.ts';
import type { Tx } from '../store/store.ts';
import { RunChange } from '../transitions/run-change.ts';

/** The person who erases, and why; absent if a retention policy does. */
export interface ErasureCause {
  readonly by?: Person | undefined;
  readonly reason: string;
}

/** A conversation of a tenant. */
export interface ConversationScope {
  readonly tenant: string;
  readonly conversationId: string;
}

/** The reasons that prevent the deletion of a part of any age. */
export const BLOCKED_BY: Readonly<Record<RunPart, readonly (keyof PendingParts)[]>> = {
  history: ['hasLiveRun', 'hasPendingHold', 'hasUnsettledEntry'],
  holds: ['hasLiveRun', 'hasPendingHold', 'hasLiveGrant'],
  content: ['hasLiveRun', 'hasPendingHold', 'hasUnsettledEntry', 'hasLiveGrant'],
  audit: ['hasLiveRun', 'hasUnsettledEntry', 'hasEvent'],
};

/** Locks a conversation, so that no run of it can start before the transaction ends. */
export async function lockConversation(
  tx: Tx,
  { tenant, conversationId: id }: ConversationScope,
): Promise<void> {
  // The row is the lock. It is missing if the history was deleted before.
  await tx.conversations.insert({ tenant, id, requesters: [] });
  await tx.conversations.lock(tenant, id);
}

/** Locks the runs of a conversation, and returns them. */
export async function lockRunsOf(
  tx: Tx,
  { tenant, conversationId }: ConversationScope,
): Promise<readonly RunRow[]> {
  const runs: RunRow[] = [];
  let after: string | undefined;
  do {
    const from: string | undefined = after;
    const query = { conversationId, includeErased: true, limit: 500, after: from };
    const page = await tx.runs.list(tenant, query);
    for (const { id } of page.items) {
      const run = await tx.runs.lock(tenant, id);
      if (run !== undefined) runs.push(run);
    }
    after = page.next;
  } while (after !== undefined);
  return runs;
}

/** Deletes the messages and settled ledger entries of a conversation, and records it for each of its runs. */
export async function eraseHistory(
  tx: Tx,
  scope: ConversationScope,
  cause: ErasureCause,
): Promise<void> {
  for (const run of await lockRunsOf(tx, scope)) {
    if (run.historyErasedAt === undefined) await recordErasure(tx, run, 'history', cause);
  }
  await tx.retention.removeHistory(scope.tenant, scope.conversationId);
}

/** Deletes the holds of a run with their decisions, votes and ended grants. */
export async function eraseHolds(
  tx: Tx,
  run: Pick<RunRow, 'tenant' | 'id'>,
  cause: ErasureCause,
): Promise<void> {
  await recordErasure(tx, run, 'holds', cause);
  await tx.retention.removeHolds({ tenant: run.tenant, runId: run.id });
}

/** Deletes everything of the runs of a conversation but their audit. History and holds must be gone already. */
export async function eraseContent(
  tx: Tx,
  scope: ConversationScope,
  cause: ErasureCause,
): Promise<number> {
  let count = 0;
  for (const run of await lockRunsOf(tx, scope)) {
    if (run.erasedAt !== undefined) continue;
    await recordErasure(tx, run, 'content', cause);
    const now = await tx.now();
    const recorded = await tx.runs.get(run.tenant, run.id);
    if (recorded !== undefined) await tx.runs.put(tombstoneOf(recorded, now));
    count += 1;
  }
  await tx.retention.removeInputs(scope);
  await tx.retention.removeSecrets(scope.tenant, scope.conversationId);
  await tx.conversations.remove(scope.tenant, scope.conversationId);
  return count;
}

/** Returns the rest of a deleted run: ids, state, times, and the head of its audit. */
function tombstoneOf(run: RunRow, erasedAt: number): RunRow {
  const { tenant, id, agent, conversationId, state, firstPosition, parks, startHash } = run;
  const { createdAt, updatedAt, historyErasedAt, holdsErasedAt, auditCount, auditHash } = run;
  const facts = { tenant, id, agent, conversationId, state, firstPosition, parks, startHash };
  const times = { createdAt, updatedAt, historyErasedAt, holdsErasedAt, erasedAt };
  return { ...facts, ...times, openHolds: 0, auditCount, auditHash };
}

/** Adds an entry to the audit of an ended run. */
export async function recordErasure(
  tx: Tx,
  { tenant, id }: Pick<RunRow, 'tenant' | 'id'>,
  part: RunPart | 'person',
  { by, reason }: ErasureCause,
): Promise<void> {
  const change = await RunChange.of(tx, tenant, id);
  if (change === undefined) return;
  change.record('data-erased', { part, reason }, by);
  await change.save();
}
