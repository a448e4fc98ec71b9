import {
  DeferredToolResults,
  ModelRetry,
  ToolApproved,
  ToolDenied,
  ToolExpired,
  ToolFailed,
  ToolInput,
  ToolReturn,
  ToolSuperseded,
} from 'holdpoint';
import type { Decision } from '../model/decision-row.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import type { SettledHold } from '../transitions/begin-run.ts';

/** Returns the decisions about holds in the form of the core. */
export function resultsOfHolds(settled: readonly SettledHold[]): DeferredToolResults {
  const results = new DeferredToolResults();
  for (const { hold, decision } of settled) {
    if (decision === undefined) closeUndecided(results, hold);
    else addDecision(results, hold, decision);
    // The digests of external calls belong to the desk.
    if (hold.kind !== 'external') results.digests[hold.key] = callDigestOf(hold);
  }
  return results;
}

function addDecision(results: DeferredToolResults, hold: HoldRow, decision: Decision): void {
  const { key } = hold;
  switch (decision.kind) {
    case 'approve':
      results.approvals[key] = new ToolApproved({
        overrideArgs: decision.args,
        approval: approvalOf(hold),
        reason: decision.reason,
        // An edited call executes only if it is still the one that the approvers were shown.
        shown: decision.args && hold.proposal?.shown,
      });
      break;
    case 'deny':
      results.approvals[key] = new ToolDenied(decision.reason);
      break;
    case 'input':
      results.approvals[key] = new ToolInput(decision.value);
      break;
    case 'result':
      results.calls[key] = new ToolReturn({ returnValue: decision.value });
      break;
    case 'retry':
      if (hold.kind === 'approval') results.approvals[key] = new ModelRetry(decision.message);
      else results.calls[key] = new ModelRetry(decision.message);
      break;
    case 'fail':
      results.calls[key] = new ToolFailed(decision.message);
      break;
  }
}

/** Returns the approvers whose votes decided a hold, for `ctx.approval`. */
function approvalOf({ votes = [], digest }: HoldRow): ToolApproved['approval'] {
  const by = votes.map(({ id, name, at }) => ({ id, ...(name !== undefined && { name }), at }));
  return { by, digest };
}

/** Settles a call without a decision. It is not a denial, and the model receives the difference. */
function closeUndecided(results: DeferredToolResults, { key, kind, outcome }: HoldRow): void {
  const closed = outcome === 'superseded' ? new ToolSuperseded() : new ToolExpired();
  if (kind !== 'external') results.approvals[key] = closed;
  else results.calls[key] = closed;
}
