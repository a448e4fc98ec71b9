import { UserError } from '../../errors/user-error.ts';
import type { UserContent, UserPrompt } from '../../messages/content.ts';
import type { Message, ModelRequest, ModelResponse } from '../../messages/message.ts';
import { toFrozenJson } from '../../messages/json.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import type { Run } from '../run.ts';
import type { Step } from '../step.ts';

/** Where a run begins: with a prompt, with tool calls that its history ends in, or with what it was about to send. */
export async function startRun(run: Run): Promise<Step> {
  const last = run.messages.at(-1);
  if (last === undefined) return firstRequest(run);
  if (run.prompt !== undefined) return promptAfter(run, last, run.prompt);
  if (last.kind === 'request') return sendAgain(run, last);
  return goOnFrom(run, last);
}

async function firstRequest(run: Run): Promise<Step> {
  const parts: RequestPart[] = [];
  for (const prompt of run.setup.systemPrompts) {
    const content = typeof prompt === 'string' ? prompt : await prompt(run.context());
    if (content) parts.push(Object.freeze({ kind: 'system-prompt', content }));
  }
  if (run.prompt !== undefined) parts.push(userPrompt(run.prompt));
  if (parts.length === 0 && run.setup.instructions.length === 0) {
    run.append(run.request([]));
    throw new UserError(
      'There is nothing to send: the run has no prompt, no history and no instructions. Give it one of them.',
    );
  }
  return { kind: 'request-model', parts };
}

function promptAfter(run: Run, last: Message, prompt: UserPrompt): Step {
  const open = run.wire.openCalls;
  if (open.length > 0) {
    if (!wasInterrupted(run.messages)) {
      const names = open.map((call) => `'${call.toolCallId}' (${call.toolName})`).join(', ');
      throw new UserError(
        `The history ends with tool calls that have no result: ${names}. ` +
          'Let a run without a prompt handle them first.',
      );
    }
    closeOpenCalls(run, last);
  }
  return { kind: 'request-model', parts: [userPrompt(prompt)] };
}

/** Whether the last response, or the request after it, was cut short. */
function wasInterrupted(messages: readonly Message[]): boolean {
  return (
    messages.at(-1)?.state === 'interrupted' ||
    messages.findLast((message) => message.kind === 'response')?.state === 'interrupted'
  );
}

/** What a crash left open is closed for good: in the history, not only for the model. */
function closeOpenCalls(run: Run, last: Message): void {
  run.wire.closeOpenCalls();
  const closed = run.wire.messages.at(-1)!;
  if (last.kind === 'request') run.messages[run.messages.length - 1] = closed;
  else run.messages.push(closed);
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

async function goOnFrom(run: Run, response: ModelResponse): Promise<Step> {
  const answersNothing = response.parts.every((part) => part.kind !== 'tool-call');
  if (answersNothing && run.setup.instructions.length > 0) {
    return { kind: 'request-model', parts: [] };
  }
  await run.prepareTools();
  return { kind: 'call-tools', response };
}

function userPrompt(prompt: UserPrompt): RequestPart {
  // A frozen copy: the prompt is the caller's.
  const content = toFrozenJson(prompt, 'prompt') as UserPrompt;
  return Object.freeze({ kind: 'user-prompt', content });
}
