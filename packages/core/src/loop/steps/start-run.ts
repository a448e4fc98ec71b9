import { chain, eachInTurn, type MaybePromise } from '../../context/chain.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { quoteCalls } from '../../errors/quote-ids.ts';
import { UserError } from '../../errors/user-error.ts';
import type { UserContent, UserPrompt } from '../../messages/content.ts';
import { lastResponse, type Message, type ModelRequest } from '../../messages/message.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { recordOf } from '../../messages/step-record.ts';
import { isAlwaysDeferred } from '../../models/tool-definition.ts';
import { checkResume } from '../check-resume.ts';
import type { Run } from '../run.ts';
import type { Step } from '../step.ts';
import { userPrompt } from '../user-prompt.ts';

/** Where a run begins: with answers, a prompt, tool calls that its history ends in, or what it was about to send. */
export function startRun(run: Run): MaybePromise<Step> {
  const { deferredToolResults } = run.setup;
  if (deferredToolResults !== undefined) return resume(run, deferredToolResults);
  const last = run.messages.at(-1);
  if (last === undefined) return firstRequest(run);
  if (run.prompt !== undefined) return promptAfter(run, run.prompt);
  if (run.openToolCalls().length > 0 || last.kind === 'response') return goOnFrom(run);
  return sendAgain(run, last);
}

function resume(run: Run, given: DeferredToolResults): MaybePromise<Step> {
  return chain(checkResume(run, given), (results) => ({ kind: 'apply-results', results }));
}

function firstRequest(run: Run): MaybePromise<Step> {
  const parts: RequestPart[] = [];
  const asking = eachInTurn(run.setup.systemPrompts, (prompt) => {
    const saying = typeof prompt === 'string' ? prompt : prompt(run.context());
    return chain(run.cancellation.wait(saying), (content) => {
      if (content) parts.push(Object.freeze({ kind: 'system-prompt', content }));
    });
  });
  return chain(asking, () => {
    if (run.prompt !== undefined) parts.push(userPrompt(run.prompt));
    return parts.length > 0 ? { kind: 'request-model', parts } : instructionsAlone(run);
  });
}

async function instructionsAlone(run: Run): Promise<Step> {
  if ((await run.instructions()) !== undefined) return { kind: 'request-model', parts: [] };
  run.append(run.request([]));
  throw new UserError(
    'There is nothing to send: the run has no prompt, no history and no instructions. Give it one of them.',
  );
}

function promptAfter(run: Run, prompt: UserPrompt): Step {
  const open = run.openToolCalls();
  if (open.length > 0) {
    if (!wasInterrupted(run.messages) && run.setup.onPendingCalls !== 'cancel') {
      throw new UserError(
        `The history ends with tool calls that wait for an answer: ${quoteCalls(open)}. Give the answers in ` +
          "deferredToolResults, or set onPendingCalls to 'cancel' to tell the model that they were given up.",
        { code: 'open-calls' },
      );
    }
    closeOpenCalls(run);
  }
  return { kind: 'request-model', parts: [userPrompt(prompt)] };
}

/** Whether the last response, or the request after it, was cut short. */
function wasInterrupted(messages: readonly Message[]): boolean {
  return (
    messages.at(-1)?.state === 'interrupted' || lastResponse(messages)?.state === 'interrupted'
  );
}

/** What is given up is closed for good: in the history, not only for the model. */
function closeOpenCalls(run: Run, except?: ReadonlySet<ToolCallPart>): void {
  const { length } = run.wire.messages;
  const hasNotes = run.messages.length !== length;
  const open = run.wire.openCalls.filter((call) => !except?.has(call));
  run.wire.closeOpenCalls(except);
  const { messages } = run.wire;
  // What is closed follows a response.
  const closed = messages.at(-1)!;
  if (hasNotes) {
    // What is noted lies between the results and those that close the rest.
    const ids = new Set(open.map((call) => call.toolCallId));
    const parts = (closed as ModelRequest).parts.filter(
      (part) =>
        part.kind === 'tool-return' && part.outcome === 'interrupted' && ids.has(part.toolCallId),
    );
    run.messages.push(Object.freeze({ kind: 'request', parts: Object.freeze(parts) }));
    run.fresh += 1;
  } else if (messages.length === length) {
    run.replaceLast(() => closed);
  } else {
    run.messages.push(closed);
    run.fresh += 1;
  }
  run.newFrom = run.messages.length;
}

/** The history ends with a request that got no answer: it becomes the first of this run. */
function sendAgain(run: Run, request: ModelRequest): Step {
  run.prompt = promptOf(request);
  run.dropLast();
  return { kind: 'request-model', parts: request.parts };
}

function promptOf(request: ModelRequest): UserPrompt | undefined {
  const prompts: UserPrompt[] = [];
  for (const part of request.parts) if (part.kind === 'user-prompt') prompts.push(part.content);
  if (prompts.length < 2) return prompts[0];
  return prompts.flatMap((prompt): readonly UserContent[] =>
    typeof prompt === 'string' ? [prompt] : prompt,
  );
}

/** The history ends with a response: its open calls are taken up again, or its text is the answer. */
async function goOnFrom(run: Run): Promise<Step> {
  // Only asked for where there is one.
  const response = lastResponse(run.messages)!;
  await run.toolset.enterStep();
  if (run.openToolCalls().length === 0 && (await run.instructions()) !== undefined) {
    return { kind: 'request-model', parts: [] };
  }
  await run.prepareTools();
  if (wasInterrupted(run.messages)) closeOpenCalls(run, callsThatWait(run));
  // There is the response at least.
  const last = run.messages.at(-1)!;
  return last.kind === 'request' && run.openToolCalls().length === 0
    ? sendAgain(run, last)
    : { kind: 'call-tools', response, isOld: true };
}

/** Open calls that have not begun: their tools always defer, or it is recorded that they wait. */
function callsThatWait(run: Run): ReadonlySet<ToolCallPart> {
  const record = recordOf(run.messages);
  return new Set(
    run.openToolCalls().filter(({ toolName, toolCallId }) => {
      const definition = run.tools.get(toolName)?.definition;
      const recorded = record?.open.has(toolCallId);
      return recorded || (definition !== undefined && isAlwaysDeferred(definition));
    }),
  );
}
