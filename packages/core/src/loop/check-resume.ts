import {
  type AnswerKind,
  answerKinds,
  approvalsIn,
  checkAnswers,
  requireAll,
  requireResults,
} from '../deferred/check-answers.ts';
import { copyResults, type DeferredToolResults } from '../deferred/results.ts';
import { requestsOfAgent, requireOwnIds } from '../deferred/from-messages.ts';
import { RequestsBuilder } from '../deferred/requests-builder.ts';
import { quoteCalls } from '../errors/quote-ids.ts';
import { RefusedAnswersError } from '../errors/refused-answers-error.ts';
import { UserError } from '../errors/user-error.ts';
import { lastResponse, type Message, toolCallsOf } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { recordOf, type StepRecord, type WaitingCall } from '../messages/step-record.ts';
import { agentInside, isAgentTool } from '../tools/agent-tools.ts';
import { checkBeforeToolCalls } from '../usage/limits.ts';
import { checkAsked, claimResumption } from './asked-calls.ts';
import type { Run } from './run.ts';

/**
 * Validates a resume completely before the first call executes: all decisions and results are valid, or the run fails
 * without an effect. Returns a frozen copy of them.
 */
export async function checkResume(
  run: Run,
  results: DeferredToolResults,
): Promise<DeferredToolResults> {
  requireResults(results);
  const open = openCalls(run, results);
  await run.toolset.enterStep();
  await run.prepareTools();
  const record = recordOf(run.messages);
  checkEach(run, results, kindsOf(run, record, open));
  checkBeforeToolCalls(run.limits, run.usage, approvalsIn(results));
  const copy = copyResults(results);
  await run.cancellation.guard(checkAsked(run, copy, record));
  await run.cancellation.guard(claimResumption(run, record));
  return copy;
}

function checkEach(
  run: Run,
  results: DeferredToolResults,
  kinds: ReadonlyMap<string, AnswerKind>,
): void {
  checkAnswers(results, kinds);
  // Whoever delegates has looked at the whole: an agent below may be given some of its answers.
  if (run.setup.delegation === undefined) requireAll(results, kinds.keys());
}

/** The calls that wait; throws if there is nothing to resume. */
function openCalls(run: Run, results: DeferredToolResults): readonly ToolCallPart[] {
  if (run.messages.length === 0) {
    throw new UserError(
      'There are answers to tool calls, but no messageHistory with the calls. Give the messages of the parked run.',
    );
  }
  const response = lastResponse(run.messages);
  if (response === undefined) {
    throw new UserError(
      'There are answers to tool calls, but the history has no response of a model. Give the messages of the parked run.',
    );
  }
  const open = run.openToolCalls();
  const all = toolCallsOf(response);
  if (open.length < all.length) refuseAnswersToDone(all, open, results);
  requireOwnIds(open, all);
  if (open.length === 0) {
    throw new UserError(
      'There are answers to tool calls, but no call of the history waits for one. Was this run resumed before? ' +
        'Go on with what came of that, or give the messages of the parked run.',
      { code: 'nothing-waits' },
    );
  }
  return open;
}

/** Calls that have their result take no answer. */
function refuseAnswersToDone(
  all: readonly ToolCallPart[],
  open: readonly ToolCallPart[],
  results: DeferredToolResults,
): void {
  const openIds = new Set(open.map((call) => call.toolCallId));
  const done = all.filter(
    ({ toolCallId }) => !openIds.has(toolCallId) && results.answers(toolCallId),
  );
  if (done.length === 0) return;
  throw new RefusedAnswersError(
    done.map((call) => call.toolCallId),
    'There is an answer to a call that has its result already, which cannot be changed. Leave it out.',
  );
}

/** What can be answered, and how: calls of the run, and those that agents below it wait for. */
function kindsOf(
  run: Run,
  record: StepRecord | undefined,
  open: readonly ToolCallPart[],
): Map<string, AnswerKind> {
  const kinds = new Map<string, AnswerKind>();
  let nested: RequestsBuilder | undefined;
  for (const call of open) {
    const parked = record?.open.get(call.toolCallId);
    if (parked && parked.kind === 'agent') {
      requireAgents(requireAgent(run, call), parked.messages);
      nested ??= new RequestsBuilder();
      nested.addNested(call, requestsOfAgent(parked.messages, call));
    } else {
      kinds.set(call.toolCallId, kindOf(run, parked, call));
    }
  }
  if (nested === undefined) return kinds;
  for (const [id, kind] of answerKinds(nested.build())) addKind(kinds, id, kind);
  return kinds;
}

/** The agent is the one that has the tool's name here; nothing in the history names another. */
function requireAgent(run: Run, call: ToolCallPart): object {
  const tool = run.tools.get(call.toolName);
  if (tool !== undefined && isAgentTool(tool.executor)) return tool.executor;
  throw noAgent(call);
}

/** The same for agents that an agent has itself, as far as that can be told before it runs. */
function requireAgents(executor: object, messages: readonly Message[]): void {
  const record = recordOf(messages);
  const response = lastResponse(messages);
  for (const call of response ? toolCallsOf(response) : []) {
    const { toolCallId, toolName } = call;
    const open = record?.open.get(toolCallId);
    if (open?.kind !== 'agent') continue;
    const inside = agentInside(executor, toolName);
    if (inside === 'none') throw noAgent(call);
    if (inside !== undefined) requireAgents(inside, open.messages);
  }
}

function noAgent(call: ToolCallPart): UserError {
  return new UserError(
    `The history is parked inside of an agent that was called as ${quoteCalls([call])}, but here ` +
      `'${call.toolName}' is no tool made with asTool(). Resume it where it is.`,
  );
}

function addKind(kinds: Map<string, AnswerKind>, key: string, kind: AnswerKind): void {
  if (kinds.has(key)) {
    throw new UserError(
      `Two calls would be answered under the id '${key}'. An answer could not be told to be for one of them. Start a new run.`,
    );
  }
  kinds.set(key, kind);
}

/** What a call waits for: what was recorded, or what its tool says, or nobody knows. */
function kindOf(run: Run, recorded: WaitingCall | undefined, call: ToolCallPart): AnswerKind {
  // What nobody knows about can be said to have run, with its result, as well.
  if (recorded?.kind === 'approval') return recorded.details?.inDoubt ? 'either' : 'approval';
  if (recorded?.kind === 'external') return 'external';
  const kind = run.tools.get(call.toolName)?.definition.kind;
  if (kind === 'external') return 'external';
  return kind === 'unapproved' ? 'approval' : 'either';
}
