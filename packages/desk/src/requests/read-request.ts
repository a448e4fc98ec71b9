import type { JsonObject } from 'holdpoint';
import { editedArgs, type DecisionRow } from '../model/decision-row.ts';
import type { EntryRow } from '../model/entry-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { RequestOutcome } from '../model/request-facts.ts';
import type { RunRow } from '../model/run-row.ts';
import { type HoldState, HOLD_TRANSITIONS } from '../model/states.ts';
import type { ReadTx } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import { argsToExecute, entryKeyOf } from './request-call.ts';

/** The states of requests. */
export const REQUEST_STATES = [
  'pending',
  'approved',
  'claimed',
  'in-doubt',
  'settled',
  'denied',
  'changes-requested',
  'expired',
  'cancelled',
] as const;

/**
 * The state of a request. `pending`: it needs a decision. `approved`: its call can be claimed.
 * `claimed`: an executor has claimed it. `in-doubt`: it is unknown if the call executed. With any
 * other state it has ended. With `changes-requested` it has ended without an execution, and the
 * outcome contains the message for the model.
 */
export type RequestState = (typeof REQUEST_STATES)[number];

/** A request from outside. */
export interface DeskRequest {
  readonly id: string;
  readonly state: RequestState;
  /** The hold that approvers decide: the latest one, if the call is in doubt. */
  readonly holdId: string;
  readonly toolName: string;
  /** The arguments as they were requested. */
  readonly args: JsonObject;
  /** The arguments to execute, with the edits of approvers; set once the call was approved. */
  readonly effectiveArgs?: JsonObject | undefined;
  /** The caller who created it. */
  readonly owner: Person;
  readonly requester: Person;
  readonly description?: string | undefined;
  /** The last decision about it. */
  readonly decision?: RequestDecision | undefined;
  /** The time at which the lease of its claim ends. */
  readonly leaseUntil?: number | undefined;
  /** The outcome of its call. */
  readonly outcome?: RequestOutcome | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt?: number | undefined;
}

/** The decision that settled the hold of a request. */
export interface RequestDecision {
  readonly kind: DecisionRow['decision']['kind'];
  /** True if approvers edited the arguments. */
  readonly isEdited: boolean;
  readonly by: Person;
  /** The reason of an approval or a denial, or the requested changes. */
  readonly reason?: string | undefined;
  readonly at: number;
}

// The keys of the table are the states.
const ALL_STATES = Object.keys(HOLD_TRANSITIONS) as HoldState[];

/** Reads a request. Throws if the run is not a request. */
export async function readRequest(tx: ReadTx, tenant: string, id: string): Promise<DeskRequest> {
  const run = await tx.runs.get(tenant, id);
  if (run?.request === undefined) throw notFound('request', id);
  return requestOf(tx, run);
}

/** Returns the request of a run. */
export async function requestOf(tx: ReadTx, run: RunRow): Promise<DeskRequest> {
  const { tenant, id, request, requester, prompt, createdAt, updatedAt } = run;
  const hold = (await tx.holds.ofRun(tenant, id, ALL_STATES)).toSorted(byPark).at(-1);
  if (request === undefined || hold === undefined) throw notFound('request', id);
  const entry = await tx.entries.get(tenant, entryKeyOf(id));
  const state = stateOf(run, entry, await tx.now());
  const last = (await tx.decisions.ofHold(tenant, hold.id)).at(-1);
  const isApproved = run.state === 'ready' || run.state === 'running' || entry !== undefined;
  return Object.freeze({
    id,
    state,
    holdId: hold.id,
    toolName: hold.toolName,
    // The arguments of a request are an object.
    args: hold.args as JsonObject,
    ...(isApproved && { effectiveArgs: argsToExecute(hold) }),
    owner: request.owner,
    requester: requester ?? request.owner,
    ...(prompt !== undefined && { description: prompt }),
    ...(hold.state !== 'open' && last && { decision: decisionView(hold, last) }),
    ...(entry?.state === 'claimed' && { leaseUntil: entry.until }),
    ...(run.output !== undefined && { outcome: outcomeIn(run) }),
    createdAt,
    updatedAt,
    ...(hold.state === 'open' && { expiresAt: hold.expiresAt }),
  });
}

function byPark(one: HoldRow, other: HoldRow): number {
  return one.park - other.park;
}

function outcomeIn({ output }: RunRow): RequestOutcome {
  // Only `endRequest` writes the output of a request.
  return output as unknown as RequestOutcome;
}

function stateOf(run: RunRow, entry: EntryRow | undefined, now: number): RequestState {
  switch (run.state) {
    case 'parked':
      return entry?.state === 'in-doubt' ? 'in-doubt' : 'pending';
    case 'ready':
      return 'approved';
    case 'running':
      return now < (entry?.until ?? 0) ? 'claimed' : 'in-doubt';
    case 'finished': {
      const { kind } = outcomeIn(run);
      if (kind === 'retry') return 'changes-requested';
      return kind === 'denied' || kind === 'expired' ? kind : 'settled';
    }
    default:
      return 'cancelled';
  }
}

function reasonOf(decision: DecisionRow['decision']): string | undefined {
  return 'reason' in decision ? decision.reason : undefined;
}

function decisionView(hold: HoldRow, { decision, by, at }: DecisionRow): RequestDecision {
  const reason = decision.kind === 'retry' ? decision.message : reasonOf(decision);
  const { kind } = decision;
  return {
    kind,
    isEdited: kind === 'approve' && editedArgs(hold.proposal?.decision) !== undefined,
    by,
    ...(reason !== undefined && { reason }),
    at,
  };
}
