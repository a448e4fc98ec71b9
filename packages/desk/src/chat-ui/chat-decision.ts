import {
  type DecisionEntry,
  type JsonValue,
  ToolApproved,
  ToolDenied,
  ToolFailed,
  ToolInput,
  ToolReturn,
} from 'holdpoint';
import type { Decision } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';

/** Returns a decision of the chat in the form of the desk; `undefined` if it does not fit the hold. */
export function decisionOf({ kind }: HoldRow, { decision }: DecisionEntry): Decision | undefined {
  if (kind === 'approval') {
    if (decision instanceof ToolDenied) return { kind: 'deny', reason: decision.message };
    if (!(decision instanceof ToolApproved)) return undefined;
    const { overrideArgs: args, reason } = decision;
    return { kind: 'approve', ...(args && { args }), ...(reason !== undefined && { reason }) };
  }
  if (kind === 'question') {
    if (decision instanceof ToolDenied) return { kind: 'deny', reason: decision.message };
    return decision instanceof ToolInput ? { kind: 'input', value: decision.value } : undefined;
  }
  if (decision instanceof ToolFailed) return { kind: 'fail', message: decision.message };
  if (!(decision instanceof ToolReturn)) return undefined;
  // The handler of the chat read the value from JSON.
  return { kind: 'result', value: decision.returnValue as JsonValue };
}
