import {
  methods,
  type PermissionOption,
  RequestError,
  type ToolCall,
} from '@agentclientprotocol/sdk';
import {
  type DecisionEntry,
  type DeferredToolRequests,
  type DeferredToolResults,
  type PendingCall,
  ToolFailed,
} from 'holdpoint';
import { type PendingCall as ShownCall, pendingCalls } from '../terminal/pending-call.ts';
import { askQuestion } from './questions.ts';
import type { TurnContext } from './turn-context.ts';

/** The choices for every call. Only a desk can store a grant with a scope, so only a desk adds `allow_always`. */
export const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'approve', name: 'Approve', kind: 'allow_once' },
  { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
];

const NO_RESULT =
  'The result of this tool comes from outside the run, and the editor cannot supply it. ' +
  'Inform the user, and do not call the tool again.';

/**
 * Requests a decision or an input for each call from the user of the editor, one after the other. External calls fail,
 * because an editor cannot supply their results.
 */
export async function decideCalls(
  requests: DeferredToolRequests,
  turn: TurnContext,
): Promise<DeferredToolResults> {
  const decisions: DecisionEntry[] = [];
  for (const shown of pendingCalls(requests)) {
    const call = requests.get(shown.id);
    if (call.kind === 'approval') decisions.push(await requestPermission(call, shown, turn));
    else if (call.kind === 'question') decisions.push(await askQuestion(call, turn));
    else decisions.push(call.resolve(new ToolFailed(NO_RESULT)));
  }
  return requests.buildResults(decisions);
}

async function requestPermission(
  call: PendingCall,
  shown: ShownCall,
  turn: TurnContext,
): Promise<DecisionEntry> {
  const toolCall = await turn.updates.showPending(shown, turn.updates.idOf(call));
  return (await choose(toolCall, OPTIONS, turn)) === 'approve' ? call.approve() : call.deny();
}

/**
 * Returns the option that the user chose for a call. Throws if there is none, so that the call does not execute.
 * `obsolete` aborts if the request needs no decision any more.
 */
export async function choose(
  toolCall: ToolCall,
  options: readonly PermissionOption[],
  { client, sessionId, signal, cancel }: TurnContext,
  obsolete?: AbortSignal,
): Promise<string> {
  const ended = obsolete === undefined ? signal : AbortSignal.any([signal, obsolete]);
  const { outcome } = await client.request(
    methods.client.session.requestPermission,
    { sessionId, toolCall, options: [...options] },
    { cancellationSignal: ended, stopWaitingOnCancel: true },
  );
  // A choice that arrives after the user cancelled the turn has no effect.
  ended.throwIfAborted();
  if (outcome.outcome === 'cancelled') {
    cancel();
    signal.throwIfAborted();
  }
  const chosen = outcome.outcome === 'selected' ? outcome.optionId : undefined;
  if (options.some(({ optionId }) => optionId === chosen)) return chosen ?? '';
  throw RequestError.invalidRequest(
    undefined,
    'the choice for session/request_permission is not one of the offered options',
  );
}
