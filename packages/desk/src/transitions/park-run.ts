import type { Policy } from '../approvers/policy.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import { newId } from '../model/new-id.ts';
import type { RunRow } from '../model/run-row.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { type Progress, writeProgress } from './checkpoint-run.ts';
import { claimedRun } from './claimed-run.ts';
import { decideByGrant, decideByShadow } from './decide-at-once.ts';
import type { RunChange } from './run-change.ts';

/** A call that is to wait. */
export interface NewHold
  extends Pick<
    HoldRow,
    | 'kind'
    | 'key'
    | 'path'
    | 'toolName'
    | 'args'
    | 'checkedArgs'
    | 'metadata'
    | 'preview'
    | 'digest'
    | 'inDoubt'
    | 'drifted'
    | 'deniedBefore'
    | 'approvers'
    | 'schema'
    | 'toolHash'
    | 'searchText'
  > {
  /** How long it may wait, in milliseconds; for ever unless given. */
  readonly expiresAfter?: number | undefined;
  /** Whether the policy only notes that it would have held the call. */
  readonly isShadow?: boolean | undefined;
}

/**
 * Parks a run: its messages and one hold for each call that waits, all or nothing. Where nothing waits,
 * because all of it was approved in advance, the run is ready to go on.
 */
export function parkRun(
  store: Store,
  policy: Policy,
  claim: TaskClaim,
  parked: Progress & { readonly holds: readonly NewHold[] },
  report: (error: unknown) => void = () => {},
): Promise<RunRow> {
  return store.write(async (tx) => {
    const { change, task } = await claimedRun(tx, claim);
    await writeProgress(change, parked);
    const parks = change.run.parks + 1;
    change.move('parked');
    change.set({ parks, openHolds: parked.holds.length, error: undefined });
    change.note('run-parked', { fence: claim.fence, park: parks, holds: parked.holds.length });
    for (const [place, hold] of parked.holds.entries()) {
      await openHold(change, { policy, report }, hold, place);
    }
    await tx.tasks.put({ ...task, due: undefined, tries: 0 });
    if (change.run.openHolds === 0) await change.makeReady();
    return change.save();
  });
}

async function openHold(
  change: RunChange,
  { policy, report }: { readonly policy: Policy; readonly report: (error: unknown) => void },
  call: NewHold,
  place: number,
): Promise<void> {
  const { tx, run, now } = change;
  const { tenant, conversationId, agent, requester, alsoAsked, parks: park } = run;
  const { expiresAfter, isShadow, ...about } = call;
  const id = newId();
  const expiresAt = expiresAfter === undefined ? undefined : now + expiresAfter;
  const hold: HoldRow = {
    ...about,
    tenant,
    id,
    runId: run.id,
    conversationId,
    agent,
    requester,
    alsoAsked,
    park,
    place,
    state: 'open',
    createdAt: now,
    expiresAt,
    auditFrom: run.auditCount,
  };
  await tx.holds.insert(hold);
  await noteOpened(change, hold);
  if (isShadow) return decideByShadow(change, hold);
  if (await decideByGrant(change, policy, hold, report)) return;
  if (expiresAt !== undefined) {
    await tx.tasks.insert({ tenant, kind: 'expiry', id, due: expiresAt, fence: 0, tries: 0 });
  }
  await change.tell('hold-opened', { holdId: id });
}

function noteOpened(change: RunChange, hold: HoldRow): Promise<void> {
  const { digest, inDoubt, expiresAt, approvers } = hold;
  return change.noteHold('hold-opened', hold, {
    digest,
    ...(inDoubt && { inDoubt: inDoubt.attempt }),
    ...(expiresAt !== undefined && { expiresAt }),
    // A rule is JSON.
    ...(approvers && { approvers: toJson(approvers) }),
  });
}
