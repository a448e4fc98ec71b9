import {
  type AgentContext,
  methods,
  type PermissionOption,
  RequestError,
  type RequestPermissionOutcome,
} from '@agentclientprotocol/sdk';
import {
  type DecisionEntry,
  type DeferredToolRequests,
  type DeferredToolResults,
  ToolFailed,
} from 'holdpoint';
import { pendingCalls } from '../terminal/pending-call.ts';
import type { TurnUpdates } from './turn-updates.ts';

/** There is no `allow_always`: only a desk can store a grant with a scope and an expiry. */
const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'approve', name: 'Approve', kind: 'allow_once' },
  { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
];

/** The turn that the approval requests belong to. */
export interface TurnContext {
  readonly sessionId: string;
  readonly client: AgentContext;
  readonly updates: TurnUpdates;
  readonly signal: AbortSignal;
  /** Cancels the turn. */
  readonly cancel: () => void;
}

/**
 * Requests a decision on each call from the user of the editor, one after the other. External calls fail, because an
 * editor cannot supply their results.
 */
export async function requestPermissions(
  requests: DeferredToolRequests,
  turn: TurnContext,
): Promise<DeferredToolResults> {
  const decisions: DecisionEntry[] = [];
  for (const shown of pendingCalls(requests)) {
    const call = requests.get(shown.id);
    if (call.kind === 'external') {
      decisions.push(call.resolve(new ToolFailed(NO_RESULT)));
      continue;
    }
    const path = [...call.path.map(({ toolCallId }) => toolCallId), call.toolCallId];
    const toolCall = await turn.updates.showPending(shown, path);
    const { outcome } = await turn.client.request(
      methods.client.session.requestPermission,
      { sessionId: turn.sessionId, toolCall, options: [...OPTIONS] },
      { cancellationSignal: turn.signal, stopWaitingOnCancel: true },
    );
    // A choice that arrives after the user cancelled the turn has no effect.
    turn.signal.throwIfAborted();
    decisions.push(isApproved(outcome, turn) ? call.approve() : call.deny());
  }
  return requests.buildResults(decisions);
}

const NO_RESULT =
  'This tool needs input or a result from outside the run, and the editor cannot supply it. ' +
  'Inform the user, and do not call the tool again.';

/** Returns the choice of the user. Throws if there is none, so that the call does not execute. */
function isApproved(outcome: RequestPermissionOutcome, { cancel, signal }: TurnContext): boolean {
  if (outcome.outcome === 'cancelled') {
    cancel();
    signal.throwIfAborted();
  }
  const chosen = outcome.outcome === 'selected' ? outcome.optionId : undefined;
  if (chosen === 'approve') return true;
  if (chosen === 'deny') return false;
  throw RequestError.invalidRequest(
    undefined,
    'the choice for session/request_permission is not one of the offered options',
  );
}
