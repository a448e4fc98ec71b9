import type { CallInDoubt } from 'holdpoint/deferral';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { requirementFor } from '../approvers/policy.ts';
import type { EntryRow } from '../model/entry-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { NewHold } from '../transitions/park-run.ts';
import { ClaimedRun } from '../transitions/claimed-run.ts';
import {
  consumeHolds,
  decisionOf,
  endRequest,
  outcomeOf,
  recordCall,
  setDue,
  settledHoldOf,
} from '../transitions/resume-run.ts';
import type { RunChange } from '../transitions/run-change.ts';
import { digestOf, parkRequest, type RequestDeps } from './create-request.ts';
import { argsToExecute, entryKeyOf } from './request-call.ts';

/** The reason of a doubt if the lease of the claim has ended. */
const LEASE_ENDED =
  'The lease of the executor ended before it settled the call. It stopped, or the call is still executing.';

/** Parks a running request, because it is unknown whether its call executed. A person decides. */
export async function parkInDoubt(
  change: RunChange,
  deps: RequestDeps,
  hold: HoldRow,
  inDoubt: CallInDoubt,
): Promise<void> {
  const { tx, run } = change;
  const entry = await tx.entries.lock(run.tenant, entryKeyOf(run.id));
  if (entry !== undefined) await tx.entries.put(entryInDoubt(entry, inDoubt, change.now));
  recordCall(change, 'call-in-doubt');
  await consumeHolds(change);
  await setDue(change, undefined);
  await parkRequest(change, deps, holdInDoubt(change, deps, hold, inDoubt));
}

function entryInDoubt(entry: EntryRow, { reason, since }: CallInDoubt, now: number): EntryRow {
  return { ...entry, state: 'in-doubt', until: undefined, reason, since, changedAt: now };
}

function holdInDoubt(
  { run }: RunChange,
  { policy }: RequestDeps,
  hold: HoldRow,
  inDoubt: CallInDoubt,
): NewHold {
  const { toolName, metadata, schema, toolHash, title, key, proposal } = hold;
  const args = argsToExecute(hold);
  // The preview describes the arguments of the request, not those of an edit.
  const preview = proposal?.decision === undefined ? hold.preview : undefined;
  const about = {
    kind: 'approval',
    toolName,
    args,
    path: [],
    inDoubt,
    ...(preview !== undefined && { preview }),
    ...(metadata !== undefined && { metadata }),
  } as const;
  const { agent, requester, otherRequesters } = run;
  const effective = effectiveCallOf({ ...about, agent, requester, otherRequesters });
  return {
    ...about,
    key,
    ...(schema !== undefined && { schema }),
    ...(title !== undefined && { title }),
    toolHash,
    digest: digestOf(run, about, schema),
    approvers: requirementFor(policy, effective) ?? hold.approvers,
    expiresAfter: policy.expiresAfter(effective),
  };
}

/** Performs the task of a request: after the lease of its claim, its call is in doubt. */
export function performRequest(deps: RequestDeps, claim: TaskClaim): Promise<void> {
  return deps.store.write(async (tx) => {
    const claimed = await ClaimedRun.of(tx, claim);
    const { change } = claimed;
    const { tenant, id, state } = change.run;
    const entry = await tx.entries.lock(tenant, entryKeyOf(id));
    const hold = await settledHoldOf(change);
    const isLive = state === 'ready' || state === 'running';
    if (!isLive || hold === undefined) {
      await claimed.setTask({ due: undefined, attempts: 0 });
    } else if (entry?.state !== 'claimed') {
      await normalise(change, hold);
    } else if ((entry.until ?? 0) > change.now) {
      await claimed.setTask({ due: entry.until, attempts: 0 });
    } else {
      const { attempt = '', until = change.now } = entry;
      await parkInDoubt(change, deps, hold, { attempt, reason: LEASE_ENDED, since: until });
    }
    await change.save();
  });
}

/** A version without requests made the run due for a worker when its hold was settled. */
async function normalise(change: RunChange, hold: HoldRow): Promise<void> {
  const outcome = outcomeOf(hold, await decisionOf(change, hold));
  if (outcome !== undefined) {
    change.move('running');
    return endRequest(change, outcome);
  }
  if (change.run.state === 'running') change.move('ready');
  await setDue(change, undefined);
}
