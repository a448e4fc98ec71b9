import { isPromise } from '../errors/show-value.ts';
import { RefusedAnswersError } from '../errors/refused-answers-error.ts';
import { UnansweredCallsError } from '../errors/unanswered-calls-error.ts';
import { UserError } from '../errors/user-error.ts';
import { readCallApproval } from '../messages/call-approval.ts';
import { Trail } from '../messages/codec/index.ts';
import { isPlainObject } from '../messages/json.ts';
import { type ApprovalDecision, isUndecided, ToolApproved, ToolDenied } from './answers.ts';
import type { DeferredToolRequests } from './requests.ts';
import { DeferredToolResults } from './results.ts';

/** What kind of answer a call takes; `either` where nobody knows which one it waits for. */
export type AnswerKind = 'approval' | 'external' | 'either';

/** What kind of answer each of the requests takes, by tool call id. */
export function answerKinds(requests: DeferredToolRequests): ReadonlyMap<string, AnswerKind> {
  const kinds = new Map<string, AnswerKind>();
  for (const { toolCallId } of requests.approvals) {
    // What nobody knows about can be said to have run, with its result, as well.
    kinds.set(toolCallId, requests.get(toolCallId).details.inDoubt ? 'either' : 'approval');
  }
  for (const { toolCallId } of requests.calls) kinds.set(toolCallId, 'external');
  return kinds;
}

/** What can be wrong with answers. Where several things are, the first of these is told. */
const FAULTS = {
  twice: 'A call has an answer in approvals and one in calls. Give each call one answer.',
  notWaiting:
    'There is an answer to a call that does not wait for one here. Answer only the calls of these requests.',
  externalDecided:
    'An external call cannot be approved or denied. Answer it with its result, in calls.',
  approvalWithResult:
    'A call that waits for approval cannot be answered with a result. Answer it in approvals.',
  decisionAsResult:
    'An external call is answered with ToolApproved or ToolDenied. Answer it with its result.',
  noApproval:
    'An answer in approvals is neither true, false, ToolApproved (with arguments and approval as objects), ' +
    'ToolDenied (with a text), ToolExpired nor ToolSuperseded (with a text or none).',
  noText:
    'The message of a `ToolExpired` or `ToolSuperseded` in `calls` is not a text. Pass a string, or no message.',
} as const;

type Fault = keyof typeof FAULTS;

/**
 * Checks answers whole, before anything runs: each is for a call that waits, and of its kind.
 *
 * `kinds` has what the calls wait for, by tool call id.
 */
export function checkAnswers(
  results: DeferredToolResults,
  kinds: ReadonlyMap<string, AnswerKind>,
): void {
  requireResults(results);
  const { approvals, calls } = results;
  const faulty: { readonly id: string; readonly fault: Fault }[] = [];
  // These have no prototype: what they list is their own.
  for (const id in approvals) {
    const fault = id in calls ? 'twice' : faultOfApproval(approvals[id], kinds.get(id));
    if (fault !== undefined) faulty.push({ id, fault });
  }
  for (const id in calls) {
    const fault = faultOfResult(calls[id], kinds.get(id));
    if (fault !== undefined) faulty.push({ id, fault });
  }
  if (faulty.length > 0) throw refusal(faulty);
}

function faultOfApproval(answer: unknown, kind: AnswerKind | undefined): Fault | undefined {
  if (kind === undefined) return 'notWaiting';
  if (kind === 'external') return 'externalDecided';
  return isApproval(answer) ? undefined : 'noApproval';
}

function faultOfResult(answer: unknown, kind: AnswerKind | undefined): Fault | undefined {
  if (kind === undefined) return 'notWaiting';
  if (kind === 'approval') return 'approvalWithResult';
  if (answer instanceof ToolApproved || answer instanceof ToolDenied) return 'decisionAsResult';
  return isUndecided(answer) && !isOptionalText(answer.message) ? 'noText' : undefined;
}

function refusal(
  faulty: readonly { readonly id: string; readonly fault: Fault }[],
): RefusedAnswersError {
  const faults = Object.keys(FAULTS) as Fault[];
  const found = new Set(faulty.map(({ fault }) => fault));
  // Something is wrong, as the caller has seen.
  const first = faults.find((fault) => found.has(fault))!;
  const ids = faulty.flatMap(({ id, fault }) => (fault === first ? [id] : []));
  return new RefusedAnswersError(ids, FAULTS[first]);
}

/** Throws if this is not what answers come in. */
export function requireResults(results: unknown): void {
  if (results instanceof DeferredToolResults) return;
  if (isPromise(results)) {
    throw new UserError(
      'Nothing was executed: `deferredToolResults` is a promise. Did you forget `await`?',
    );
  }
  throw new UserError(
    'Nothing was run: the answers are not a DeferredToolResults. Make one with new DeferredToolResults(…), ' +
      'requests.buildResults(…) or, from JSON, with loadResults(…).',
  );
}

/** How many calls may run now. */
export function approvalsIn(results: DeferredToolResults): number {
  const ids = Object.keys(results.approvals);
  return ids.filter((id) => results.answerTo(id) instanceof ToolApproved).length;
}

/** Throws if there is a call without an answer. */
export function requireAll(results: DeferredToolResults, waiting: Iterable<string>): void {
  const open: string[] = [];
  for (const id of waiting) if (!results.answers(id)) open.push(id);
  if (open.length > 0) throw new UnansweredCallsError(open);
}

function isApproval(answer: unknown): answer is ApprovalDecision {
  if (typeof answer === 'boolean') return true;
  if (answer instanceof ToolApproved) {
    const { overrideArgs, approval, reason } = answer;
    const isEdit = overrideArgs === undefined || isPlainObject(overrideArgs);
    return isEdit && isOptionalText(reason) && isWho(approval);
  }
  if (answer instanceof ToolDenied) return typeof answer.message === 'string';
  return isUndecided(answer) && isOptionalText(answer.message);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
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
