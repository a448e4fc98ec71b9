import { RefusedAnswersError } from '../errors/refused-answers-error.ts';
import { UnansweredCallsError } from '../errors/unanswered-calls-error.ts';
import { UserError } from '../errors/user-error.ts';
import { readCallApproval } from '../messages/call-approval.ts';
import { Trail } from '../messages/codec/index.ts';
import { isPlainObject } from '../messages/json.ts';
import { ToolApproved, ToolDenied, ToolUnanswered } from './answers.ts';
import { DeferredToolResults } from './results.ts';

/** What kind of answer a call takes; `either` where nobody knows which one it waits for. */
export type AnswerKind = 'approval' | 'external' | 'either';

/**
 * Checks answers whole, before anything runs: each is for a call that waits, and of its kind.
 *
 * `kindOf` tells what a call waits for; `undefined` if it does not wait.
 */
export function checkAnswers(
  results: DeferredToolResults,
  kindOf: (toolCallId: string) => AnswerKind | undefined,
): void {
  requireResults(results);
  const approvals = Object.keys(results.approvals);
  const calls = Object.keys(results.calls);
  refuse(
    approvals.filter((id) => Object.hasOwn(results.calls, id)),
    'A call has an answer in approvals and one in calls. Give each call one answer.',
  );
  refuse(
    [...approvals, ...calls].filter((id) => kindOf(id) === undefined),
    'There is an answer to a call that does not wait for one here. Answer only the calls of these requests.',
  );
  refuse(
    approvals.filter((id) => kindOf(id) === 'external'),
    'An external call cannot be approved or denied. Answer it with its result, in calls.',
  );
  refuse(
    calls.filter((id) => kindOf(id) === 'approval'),
    'A call that waits for approval cannot be answered with a result. Answer it in approvals.',
  );
  refuse(
    calls.filter((id) => isDecision(results.calls[id])),
    'An external call is answered with ToolApproved or ToolDenied. Answer it with its result.',
  );
  refuse(
    approvals.filter((id) => !isApproval(results.approvals[id])),
    'An answer in approvals is neither true, false, ToolApproved (with arguments and approval as objects), ' +
      'ToolDenied (with a text) nor ToolUnanswered (with its reason).',
  );
  refuse(
    calls.filter((id) => isWronglyUnanswered(results.calls[id])),
    "An answer in calls is ToolUnanswered without a reason that there is. Give 'expired' or 'superseded', and a text or no message.",
  );
}

/** Throws if this is not what answers come in. */
export function requireResults(results: unknown): void {
  if (results instanceof DeferredToolResults) return;
  throw new UserError(
    'Nothing was run: the answers are not a DeferredToolResults. Make one with new DeferredToolResults(…), ' +
      'requests.buildResults(…) or, from JSON, with loadResults(…).',
  );
}

/** Throws if there is a call without an answer. */
export function requireAll(results: DeferredToolResults, waiting: readonly string[]): void {
  const open = waiting.filter((id) => !results.answers(id));
  if (open.length > 0) throw new UnansweredCallsError(open);
}

function isDecision(answer: unknown): boolean {
  return answer instanceof ToolApproved || answer instanceof ToolDenied;
}

function isApproval(answer: unknown): boolean {
  if (answer instanceof ToolApproved) {
    const { overrideArgs, approval } = answer;
    return (overrideArgs === undefined || isPlainObject(overrideArgs)) && isWho(approval);
  }
  if (answer instanceof ToolDenied) return typeof answer.message === 'string';
  if (answer instanceof ToolUnanswered) return isUnanswered(answer);
  return typeof answer === 'boolean';
}

function isWronglyUnanswered(answer: unknown): boolean {
  return answer instanceof ToolUnanswered && !isUnanswered(answer);
}

function isUnanswered({ reason, message }: ToolUnanswered): boolean {
  const isKnown = reason === 'expired' || reason === 'superseded';
  return isKnown && (message === undefined || typeof message === 'string');
}

/** Whether this says who has approved a call; it may be left out. */
function isWho(approval: unknown): boolean {
  if (approval === undefined) return true;
  try {
    readCallApproval(approval, new Trail());
    return true;
  } catch {
    return false;
  }
}

function refuse(ids: readonly string[], problem: string): void {
  if (ids.length > 0) throw new RefusedAnswersError(ids, problem);
}
