import {
  type AnswerKind,
  checkAnswers,
  requireAll,
  requireResults,
} from '../deferred/check-answers.ts';
import { copyResults, type DeferredToolResults } from '../deferred/results.ts';
import { ToolApproved } from '../deferred/answers.ts';
import { quoteCalls } from '../errors/quote-ids.ts';
import { RefusedAnswersError } from '../errors/refused-answers-error.ts';
import { UserError } from '../errors/user-error.ts';
import { callsThatShareIds, toolCallsOf } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { readStepRecord, type StepRecord } from '../messages/step-record.ts';
import { checkBeforeToolCalls } from '../usage/limits.ts';
import type { Run } from './run.ts';

/**
 * Checks a resume whole, before the first call runs: all of it holds, or nothing happens. Gives the
 * answers as they were when they were checked.
 */
export async function checkResume(
  run: Run,
  results: DeferredToolResults,
): Promise<DeferredToolResults> {
  requireResults(results);
  const open = openCalls(run, results);
  await run.enterStep();
  await run.prepareTools();
  const record = readStepRecord(run.messages);
  const kinds = new Map(open.map((call) => [call.toolCallId, kindOf(run, record, call)]));
  checkAnswers(results, (id) => kinds.get(id));
  requireAll(results, open);
  const approved = Object.values(results.toToolCallResults()).filter(
    (answer) => answer instanceof ToolApproved,
  );
  checkBeforeToolCalls(run.limits, run.usage, approved.length);
  return copyResults(results);
}

/** The calls that wait; throws if there is nothing to resume. */
function openCalls(run: Run, results: DeferredToolResults): readonly ToolCallPart[] {
  if (run.messages.length === 0) {
    throw new UserError(
      'There are answers to tool calls, but no messageHistory with the calls. Give the messages of the parked run.',
    );
  }
  const response = run.messages.findLast((message) => message.kind === 'response');
  if (response === undefined) {
    throw new UserError(
      'There are answers to tool calls, but the history has no response of a model.',
    );
  }
  const open = run.openToolCalls();
  const openIds = new Set(open.map((call) => call.toolCallId));
  const done = toolCallsOf(response).filter(
    ({ toolCallId }) => !openIds.has(toolCallId) && results.answers(toolCallId),
  );
  if (done.length > 0) {
    throw new RefusedAnswersError(
      done.map((call) => call.toolCallId),
      'There is an answer to a call that has its result already, which cannot be changed. Leave it out.',
    );
  }
  const shared = callsThatShareIds(open, toolCallsOf(response));
  if (shared.length > 0) {
    throw new UserError(
      `Calls of the history's last response share their id: ${quoteCalls(shared)}. An answer cannot be matched.`,
    );
  }
  if (open.length === 0) {
    throw new UserError(
      'There are answers to tool calls, but no call of the history waits for one. Was this run resumed before?',
    );
  }
  return open;
}

/** What a call waits for: what was recorded, or what its tool says, or nobody knows. */
function kindOf(run: Run, record: StepRecord | undefined, call: ToolCallPart): AnswerKind {
  if (record !== undefined && Object.hasOwn(record.open, call.toolCallId)) {
    return record.open[call.toolCallId]!.kind;
  }
  const kind = run.tools.get(call.toolName)?.definition.kind;
  if (kind === 'external') return 'external';
  return kind === 'unapproved' ? 'approval' : 'either';
}
