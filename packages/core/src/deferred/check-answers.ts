import { quoteIds } from '../errors/quote-ids.ts';
import { UserError } from '../errors/user-error.ts';
import { isPlainObject } from '../messages/json.ts';
import { ToolApproved, ToolDenied } from './answers.ts';
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
    'have an answer in approvals and one in calls. Give each call one answer.',
  );
  refuse(
    [...approvals, ...calls].filter((id) => kindOf(id) === undefined),
    'are answered, but do not wait for an answer here. Answer the calls of these requests only.',
  );
  refuse(
    approvals.filter((id) => kindOf(id) === 'external'),
    'get their result from somewhere else, so they cannot be approved or denied. Answer them in calls.',
  );
  refuse(
    calls.filter((id) => kindOf(id) === 'approval'),
    'wait for approval, so they cannot be answered with a result. Answer them in approvals.',
  );
  refuse(
    approvals.filter((id) => !isApproval(results.approvals[id])),
    'have an answer in approvals that is neither true, false, ToolApproved nor ToolDenied.',
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
export function requireAll(
  results: DeferredToolResults,
  waiting: readonly { readonly toolCallId: string }[],
): void {
  refuse(
    waiting.map((call) => call.toolCallId).filter((id) => !results.answers(id)),
    'have no answer. Answer every call that waits, all at once.',
  );
}

function isApproval(answer: unknown): boolean {
  if (answer instanceof ToolApproved) {
    return answer.overrideArgs === undefined || isPlainObject(answer.overrideArgs);
  }
  return typeof answer === 'boolean' || answer instanceof ToolDenied;
}

function refuse(ids: readonly string[], problem: string): void {
  if (ids.length === 0) return;
  throw new UserError(`Nothing was run: tool call(s) ${quoteIds(ids)} ${problem}`);
}
