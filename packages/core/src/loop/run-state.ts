import type { UserPrompt } from '../messages/content.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import { invariant } from '../internal/invariant.ts';
import {
  lastResponseIndex,
  type Message,
  type ModelResponse,
  toolCallsOf,
} from '../messages/message.ts';
import { cleanerOf } from '../messages/open-history.ts';
import type { ResponsePart, ToolCallPart } from '../messages/response-part.ts';
import { withStepRecord } from '../messages/step-record.ts';
import type { ModelSettings } from '../models/settings.ts';
import { Discovery } from '../toolsets/tool-search/discovery.ts';
import { Denials } from './denials.ts';
import type { ParkedStep } from './resume/parked-step.ts';
import type { Round } from './round.ts';
import type { RunSetup } from './run-setup.ts';
import { indexOfCall, stepNameOf, type StepOrigin } from './resume/step-name.ts';

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
  outputRetriesUsed = 0;
  /** The tool calls of the last response until the next request reports their results. */
  round: Round | undefined = undefined;
  /** The step that the run resumes; `undefined` if it does not resume one. */
  parkedStep: ParkedStep | undefined = undefined;
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
