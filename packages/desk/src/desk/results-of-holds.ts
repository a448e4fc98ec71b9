import {
  DeferredToolResults,
  ModelRetry,
  ToolApproved,
  ToolDenied,
  ToolExpired,
  ToolFailed,
  ToolReturn,
  ToolSuperseded,
} from 'holdpoint';
import type { HoldAnswer } from '../model/answer-row.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import type { SettledHold } from '../transitions/begin-run.ts';

/** What a run is told about its holds, as the core takes it. */
export function resultsOfHolds(settled: readonly SettledHold[]): DeferredToolResults {
  const results = new DeferredToolResults();
  for (const { hold, answer } of settled) {
    if (answer === undefined) closeUnanswered(results, hold);
    else addAnswer(results, hold, answer);
    // Those of external calls are the desk's own.
    if (hold.kind === 'approval') results.digests[hold.key] = callDigestOf(hold);
  }
  return results;
}

function addAnswer(results: DeferredToolResults, hold: HoldRow, answer: HoldAnswer): void {
  const { key } = hold;
  switch (answer.kind) {
    case 'approve':
      results.approvals[key] = new ToolApproved({ approval: approvalOf(hold) });
      break;
    case 'edit':
      results.approvals[key] = new ToolApproved({
        overrideArgs: answer.args,
        approval: approvalOf(hold),
        // The call executes only if it is still the one that the approvers were shown.
        shown: hold.proposal?.shown,
      });
      break;
    case 'deny':
      results.approvals[key] = new ToolDenied(answer.message);
      break;
    case 'result':
      results.calls[key] = new ToolReturn({ returnValue: answer.value });
      break;
    case 'retry':
      results.calls[key] = new ModelRetry(answer.message);
      break;
    case 'fail':
      results.calls[key] = new ToolFailed(answer.message);
      break;
  }
}

/** Those whose votes have decided, for `ctx.approval`. */
function approvalOf({ votes = [], digest }: HoldRow): ToolApproved['approval'] {
  const by = votes.map(({ id, name, at }) => ({ id, ...(name !== undefined && { name }), at }));
  return { by, digest };
}

/** Nobody has answered, and the model is told so: that is not a denial. */
function closeUnanswered(results: DeferredToolResults, { key, kind, outcome }: HoldRow): void {
  const closed = outcome === 'superseded' ? new ToolSuperseded() : new ToolExpired();
  if (kind === 'approval') results.approvals[key] = closed;
  else results.calls[key] = closed;
}
