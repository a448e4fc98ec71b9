import type { UserPrompt } from '../messages/content.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import { invariant } from '../internal/invariant.ts';
import {
  type Message,
  type ModelRequest,
  type ModelResponse,
  lastResponse,
  lastResponseIndex,
  toolCallsOf,
} from '../messages/message.ts';
import { cleanerOf } from '../messages/open-history.ts';
import type { ResponsePart, ToolCallPart } from '../messages/response-part.ts';
import { stepRecordOf, withStepRecord } from '../messages/step-record.ts';
import type { ModelSettings } from '../models/settings.ts';
import { Discovery } from '../toolsets/tool-search.ts';
import type { ParkedStep } from './resume/parked-step.ts';
import type { Round } from './round.ts';
import type { RunSetup } from './run-setup.ts';
import { sameCallText } from '../ledger/sub-agent-calls.ts';

/** The state of a run: its history, its current round and its counters. */
export class RunState {
  readonly runId: string;
  readonly #outputTools: ReadonlyMap<string, unknown>;
  prompt: UserPrompt | undefined;
  /** The history. Messages are only appended within a step; a history processor may replace it between steps. */
  messages: Message[];
  /** The same history as sent to models. */
  modelHistory: HistoryCleaner;
  /** The index of the first message of this run. */
  firstNewIndex: number;
  /** The number of messages at the end of the history that no history processor has seen. */
  unprocessedCount: number;
  /** The number of model requests so far. */
  runStep = 0;
  /** True if the next step has begun before its request. */
  isStepEntered = false;
  outputRetriesUsed = 0;
  /** The tool calls of the last response until the next request reports their results. */
  round: Round | undefined = undefined;
  /** The step that the run resumes; `undefined` if it does not resume one. */
  parkedStep: ParkedStep | undefined = undefined;
  /** The last request of the given history, while it is sent again. It still belongs to its own run. */
  resent: ModelRequest | undefined = undefined;
  /** Returns the parts of the response that is being streamed, which the history keeps if the stream breaks off. */
  partialResponse: (() => readonly ResponsePart[]) | undefined = undefined;
  /** True if the parts of the response to the current request are emitted. */
  isStreaming = false;
  /** True if the response to the current request was streamed. */
  streamed = false;
  /** The settings of the current request. */
  modelSettings: ModelSettings | undefined = undefined;
  /** Hidden tools that the model called. */
  readonly calledHiddenTools: Set<string> = new Set();
  #revealed: RevealedTools | undefined;
  #denials: Denials | undefined;

  constructor({
    runId,
    prompt,
    messages,
    modelHistory,
    outputPlan,
  }: Pick<RunSetup, 'runId' | 'prompt' | 'messages' | 'modelHistory' | 'outputPlan'>) {
    this.runId = runId;
    this.#outputTools = outputPlan.tools;
    this.prompt = prompt;
    this.messages = [...messages];
    this.modelHistory = modelHistory;
    this.firstNewIndex = this.messages.length;
    this.unprocessedCount = this.messages.length;
  }

  get lastResponse(): ModelResponse | undefined {
    return this.messages.findLast((message) => message.kind === 'response');
  }

  /** Returns the calls of the last response without a result. Calls of output tools need none. */
  pendingToolCalls(): readonly ToolCallPart[] {
    return this.modelHistory.pendingCalls.filter((call) => !this.#outputTools.has(call.toolName));
  }

  /** Adds a message to the history. */
  append(message: Message): void {
    this.messages.push(message);
    this.modelHistory.add(message);
    this.unprocessedCount += 1;
  }

  /** Removes the last message of the history. */
  dropLast(): void {
    this.messages.pop();
    this.modelHistory = cleanerOf(this.messages);
    this.unprocessedCount = this.messages.length;
  }

  /** Replaces the last message by one that is the same for models. */
  replaceLast(change: (message: Message) => Message): void {
    this.#replaceAt(this.messages.length - 1, change);
  }

  /** Replaces the last response by one that is the same for models. */
  replaceLastResponse(change: (response: Message) => Message): void {
    this.#replaceAt(lastResponseIndex(this.messages), change);
  }

  #replaceAt(index: number, change: (message: Message) => Message): void {
    this.messages[index] = change(invariant(this.messages[index], 'the history has the message'));
  }

  /** Replaces the whole history. */
  replaceHistory(messages: readonly Message[]): void {
    const firstNew = messages.findIndex((message) => message.runId === this.runId);
    this.firstNewIndex = firstNew < 0 ? messages.length : firstNew;
    this.messages = [...messages];
    this.modelHistory = cleanerOf(messages);
  }

  /** Records that tools were revealed, and returns those that were hidden before. */
  reveal(toolNames: readonly string[]): readonly string[] {
    this.#revealed ??= { earlier: new Discovery(), now: new Set() };
    const { earlier, now } = this.#revealed;
    const known = earlier.in(this.messages);
    const added = toolNames.filter((name) => !known.has(name) && !now.has(name));
    for (const name of added) now.add(name);
    return Object.freeze(added);
  }

  /** Returns whether an approver denied the same call before in this conversation. */
  wasDenied(call: ToolCallPart): boolean {
    this.#denials ??= new Denials();
    return this.#denials.include(call, this.messages);
  }

  /** Returns the index of a call among the calls of the last response; -1 if it is not one of them. */
  indexOf(call: ToolCallPart): number {
    return indexOfCall(this.lastResponse, call);
  }

  /** Returns the key of a call, which is the same in every attempt at it. `origin`: the step that the call belongs to. */
  idempotencyKey(call: ToolCallPart, origin: Omit<StepOrigin, 'runId'>): string {
    const index = indexOfCall(origin.response, call);
    const step = stepNameOf(this.messages, { ...origin, runId: this.runId });
    // A call that a tool made is not among the calls of the response.
    return `${step}:${index < 0 ? call.toolCallId : index}`;
  }

  /**
   * Returns the name of the step that the last response began: the recorded name, or the one that will be recorded. It
   * is the same in every copy of the history.
   */
  stepName(): string {
    const { runStep, lastResponse: response } = this;
    return stepNameOf(this.messages, { runId: this.runId, runStep, response });
  }

  /** Records the name of the step in the last response. The ledger uses it in its keys. */
  recordStepName(): void {
    const response = this.lastResponse;
    if (response === undefined || toolCallsOf(response).length === 0) return;
    const record = { step: this.stepName(), open: new Map() };
    this.replaceLastResponse((message) => withStepRecord(message, record));
  }
}

/** The tools that were hidden before: those of the history, and those of the current step. */
interface RevealedTools {
  readonly earlier: Discovery;
  readonly now: Set<string>;
}

/** Returns the index of a call among the calls of a response; -1 if it is not one of them. */
function indexOfCall(response: ModelResponse | undefined, call: ToolCallPart): number {
  if (response === undefined) return -1;
  const calls = toolCallsOf(response);
  const index = calls.indexOf(call);
  if (index >= 0) return index;
  const { toolCallId, toolName } = call;
  return calls.findIndex((one) => one.toolCallId === toolCallId && one.toolName === toolName);
}

/** The response that began a step, and the run that executes it. */
export interface StepOrigin {
  /** The run that names the step. */
  readonly runId: string;
  /** The number of responses of that run at that time. */
  readonly runStep: number;
  readonly response: ModelResponse | undefined;
}

/** Returns the name of the step that a response began: the recorded name, or the one that will be recorded. */
function stepNameOf(messages: readonly Message[], origin: StepOrigin): string {
  const { response } = origin;
  const isLast = response === lastResponse(messages);
  const known = stepRecordOf(isLast || response === undefined ? messages : [response]);
  return known?.step ?? newStepName(messages, origin);
}

/** Returns the name of a step without a record: the run and its number in that run. */
function newStepName(messages: readonly Message[], { response, ...origin }: StepOrigin): string {
  const { runId = '', conversationId = '' } = response ?? {};
  // A run counts its own responses: a history processor may have dropped some.
  const count = runId === origin.runId ? origin.runStep : responsesOf(runId, messages);
  return UUID.test(runId) ? `${runId}:${count}` : `${conversationId}:${runId}:${count}`;
}

/** A UUID is unique. Other ids come from the application, and may be unique only in their conversation. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

function responsesOf(runId: string, messages: readonly Message[]): number {
  return messages.filter(
    (message) => message.kind === 'response' && (message.runId ?? '') === runId,
  ).length;
}

/** The denied calls of a conversation. Each message is read once, so that a step costs the same in a long history. */
export class Denials {
  #messages: readonly Message[] = [];
  #readCount = 0;
  readonly #denied = new Set<string>();
  #response: ModelResponse | undefined;

  /** Returns whether a call with the same arguments was denied in these messages. */
  include(call: ToolCallPart, messages: readonly Message[]): boolean {
    if (messages !== this.#messages || messages.length < this.#readCount) {
      this.#messages = messages;
      this.#readCount = 0;
      this.#denied.clear();
    }
    if (messages.length > this.#readCount) {
      for (const message of messages.slice(this.#readCount)) this.#read(message);
      this.#readCount = messages.length;
    }
    // Without an earlier denial, the call needs no canonical form.
    return this.#denied.size > 0 && this.#denied.has(sameCallText(call));
  }

  #read(message: Message): void {
    if (message.kind === 'response') {
      this.#response = message;
      return;
    }
    for (const part of message.parts) {
      if (part.kind !== 'tool-return' || part.outcome !== 'denied') continue;
      const calls = this.#response ? toolCallsOf(this.#response) : [];
      // Of calls that share an id, the first one counts.
      const call = calls.find(({ toolCallId }) => toolCallId === part.toolCallId);
      if (call !== undefined) this.#denied.add(sameCallText(call));
    }
  }
}
