import type { Cancellation } from '../context/cancellation.ts';
import { Context } from '../context/context.ts';
import type { Environment } from '../context/environment.ts';
import type { AgentInfo, RunContext } from '../context/run-context.ts';
import type { Tracer } from '../context/tracer.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { UserError } from '../errors/user-error.ts';
import type { OutputScope, OutputValidator } from '../execution/process-output.ts';
import { RetryCounter } from '../execution/retry-counter.ts';
import type { ParallelMode } from '../execution/scope.ts';
import { ToolManager } from '../execution/tool-manager.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import type { JsonObject } from '../messages/json.ts';
import type { Message, ModelRequest } from '../messages/message.ts';
import { cleanerOf } from '../messages/open-history.ts';
import type { RequestPart } from '../messages/request-part.ts';
import type { ResponsePart, ToolCallPart } from '../messages/response-part.ts';
import type { Model } from '../models/model.ts';
import { mergeSettings, type ModelSettings } from '../models/settings.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import { closeToolset, openToolset } from '../toolsets/open-toolset.ts';
import { Discovery } from '../toolsets/tool-search/discovery.ts';
import type { ToolMap, Toolset } from '../toolsets/toolset.ts';
import type { UsageLimits } from '../usage/limits.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { EventSink, StepEvent } from './events.ts';
import type { HistoryProcessor } from './history-processor.ts';
import { type Instruction, renderInstructions } from './instructions.ts';
import type { Round } from './round.ts';

/** What happens to tool calls beside an output: see the guide on outputs. */
export type EndStrategy = 'graceful' | 'early' | 'exhaustive';

/** What becomes of calls that wait: the run refuses to start, or they are closed as interrupted. */
export type OnOpenCalls = 'reject' | 'close';

/** What a run is made from. The agent has put it together from its own options and those of the run. */
export interface RunSetup {
  readonly agent: AgentInfo;
  readonly model: Model;
  readonly deps: never;
  readonly prompt: UserPrompt | undefined;
  /** The repaired history so far. */
  readonly history: HistoryCleaner;
  readonly runId: string;
  readonly conversationId: string;
  readonly toolset: Toolset<never>;
  readonly instructions: readonly Instruction<never>[];
  readonly systemPrompts: readonly Instruction<never>[];
  readonly historyProcessors: readonly HistoryProcessor<never>[];
  readonly outputPlan: OutputPlan;
  readonly outputValidators: readonly OutputValidator<never, unknown>[];
  readonly endStrategy: EndStrategy;
  readonly parallelMode: ParallelMode;
  readonly toolRetries: number;
  readonly outputRetries: number;
  readonly toolTimeout: number | undefined;
  readonly usage: RunUsage;
  readonly limits: UsageLimits | undefined;
  readonly settings: ModelSettings | undefined;
  readonly metadata: JsonObject | undefined;
  readonly validationContext: unknown;
  readonly tracer: Tracer;
  readonly traceIncludeContent: boolean;
  readonly environment: Environment;
  readonly cancellation: Cancellation;
  /** Answers to the calls that the history is parked on. */
  readonly deferredToolResults: DeferredToolResults | undefined;
  /** Handlers that may leave calls open; each gets what those before it left. */
  readonly chainedHandlers: readonly DeferredToolHandler<never>[];
  /** The handler that must answer what is left. */
  readonly deferredToolHandler: DeferredToolHandler<never> | undefined;
  /** What becomes of calls that wait when there is a new prompt instead of answers. */
  readonly onOpenCalls: OnOpenCalls;
  readonly sink: EventSink | undefined;
  /** Whether the model is asked to stream its answers. */
  readonly streaming: boolean;
}

const NO_TOOLS: ToolMap<never> = new Map();
const NO_DEFINITIONS: readonly ToolDefinition[] = Object.freeze([]);

/** The state of a run. Everything that changes while it goes on is here. */
export class Run implements OutputScope {
  readonly setup: RunSetup;
  prompt: UserPrompt | undefined;
  /** The history as it is kept: messages are added at the end, and nothing else changes within a step. */
  messages: Message[];
  /** Where in the history the messages of this run begin. */
  newFrom: number;
  /** The same history as models see it. */
  wire: HistoryCleaner;
  /** How many messages at the end of the history no processor has seen. */
  fresh: number;
  runStep = 0;
  outputRetriesUsed = 0;
  /** The tool calls that are being worked on. */
  round: Round | undefined = undefined;
  /** While an answer comes in: what can be kept of it should it break off. */
  receiving: (() => readonly ResponsePart[]) | undefined = undefined;
  modelSettings: ModelSettings | undefined = undefined;
  tools: ToolMap<never> = NO_TOOLS;
  toolset: Toolset<never>;
  #openedToolset: Toolset<never> | undefined;
  /** While the toolset is being changed for a step. */
  #changing: Promise<void> | undefined;
  readonly #discovery = new Discovery();
  readonly #revealed = new Set<string>();
  /** The tools of the current step as the model is offered them. */
  definitions: readonly ToolDefinition[] = NO_DEFINITIONS;
  readonly counter: RetryCounter = new RetryCounter();
  readonly toldHidden: Set<string> = new Set();
  /** Whether calls to some of the tools have a meaning across providers. */
  hasToolKinds = false;
  readonly toolManager: ToolManager;

  constructor(setup: RunSetup) {
    this.setup = setup;
    this.prompt = setup.prompt;
    this.toolset = setup.toolset;
    this.wire = setup.history;
    this.messages = setup.history.messages.slice();
    this.newFrom = this.messages.length;
    this.fresh = this.messages.length;
    this.toolManager = new ToolManager(this);
  }

  get agent(): AgentInfo {
    return this.setup.agent;
  }
  get model(): Model {
    return this.setup.model;
  }
  get deps(): never {
    return this.setup.deps;
  }
  get runId(): string {
    return this.setup.runId;
  }
  get conversationId(): string {
    return this.setup.conversationId;
  }
  get usage(): RunUsage {
    return this.setup.usage;
  }
  get limits(): UsageLimits | undefined {
    return this.setup.limits;
  }
  get metadata(): JsonObject | undefined {
    return this.setup.metadata;
  }
  get validationContext(): unknown {
    return this.setup.validationContext;
  }
  get tracer(): Tracer {
    return this.setup.tracer;
  }
  get traceIncludeContent(): boolean {
    return this.setup.traceIncludeContent;
  }
  get environment(): Environment {
    return this.setup.environment;
  }
  get cancellation(): Cancellation {
    return this.setup.cancellation;
  }
  get outputPlan(): OutputPlan {
    return this.setup.outputPlan;
  }
  get outputValidators(): readonly OutputValidator<never, unknown>[] {
    return this.setup.outputValidators;
  }
  get toolRetries(): number {
    return this.setup.toolRetries;
  }
  get outputRetries(): number {
    return this.setup.outputRetries;
  }
  get toolTimeout(): number | undefined {
    return this.setup.toolTimeout;
  }
  get parallelMode(): ParallelMode {
    return this.setup.parallelMode;
  }
  get retries(): Readonly<Record<string, number>> {
    return this.counter.counts;
  }
  get observed(): boolean {
    return this.setup.sink !== undefined;
  }

  emit(event: StepEvent): Promise<void> | undefined {
    return this.setup.sink?.(event);
  }

  reveal(toolNames: readonly string[]): readonly string[] {
    const known = this.#discovery.in(this.messages);
    const fresh = toolNames.filter((name) => !known.has(name) && !this.#revealed.has(name));
    for (const name of fresh) this.#revealed.add(name);
    return Object.freeze(fresh);
  }

  /** The context of the step, outside of any call. */
  context(): RunContext<never> {
    return new Context(this);
  }

  /** Adds a message to the history. */
  append(message: Message): void {
    this.messages.push(message);
    this.wire.add(message);
    this.fresh += 1;
  }

  /** Takes the last message off the history. */
  dropLast(): void {
    this.messages.pop();
    this.wire = cleanerOf(this.messages);
    this.fresh = this.messages.length;
  }

  /** Puts another message in place of the last one; models are not told the difference. */
  replaceLast(change: (message: Message) => Message): void {
    this.messages[this.messages.length - 1] = change(this.messages.at(-1)!);
  }

  /** Puts another message in place of the last response; models are not told the difference. */
  replaceLastResponse(change: (response: Message) => Message): void {
    const index = this.messages.findLastIndex((message) => message.kind === 'response');
    this.messages[index] = change(this.messages[index]!);
  }

  /** The calls of the last response that have no result; outputs need none. */
  openToolCalls(): readonly ToolCallPart[] {
    return this.wire.openCalls.filter((call) => !this.outputPlan.tools.has(call.toolName));
  }

  /** Puts another history in place. */
  replaceHistory(messages: readonly Message[]): void {
    const firstNew = messages.findIndex((message) => message.runId === this.runId);
    this.newFrom = firstNew < 0 ? messages.length : firstNew;
    this.messages = messages.slice();
    this.wire = cleanerOf(messages);
  }

  /** A request of this run. */
  request(
    parts: readonly RequestPart[],
    more?: Pick<ModelRequest, 'instructions' | 'state'>,
  ): ModelRequest {
    const { runId, conversationId } = this.setup;
    const timestamp = this.timestamp();
    const frozenParts = Object.freeze(parts);
    return Object.freeze(
      more === undefined
        ? { kind: 'request', parts: frozenParts, timestamp, runId, conversationId }
        : { kind: 'request', parts: frozenParts, timestamp, ...more, runId, conversationId },
    );
  }

  timestamp(): string {
    return isoTime(this.environment.now());
  }

  /** Makes the toolset ready for this run. */
  async openToolset(): Promise<void> {
    const { toolset } = this;
    if (toolset.forRun !== undefined) {
      this.toolset = await this.cancellation.wait(toolset.forRun(this.context()));
    }
    await openToolset(this.toolset);
    this.#openedToolset = this.toolset;
  }

  /** Gives back what the toolset took. After a failure, that is what counts, and not one of closing. */
  async closeToolset(failed: boolean): Promise<void> {
    const opened = this.#openedToolset;
    this.#openedToolset = undefined;
    if (opened === undefined) return;
    // A change that an abort has left behind is waited for, but not by the run.
    const closing = this.#changing
      ? this.#changing.then(() => closeToolset(opened))
      : closeToolset(opened);
    if (failed) closing.catch(() => {});
    if (this.#changing === undefined) await (failed ? closing.catch(() => {}) : closing);
  }

  /** Makes the toolset ready for a step. */
  async enterStep(): Promise<void> {
    if (this.toolset.forRunStep === undefined) return;
    const changing = this.#change(this.toolset.forRunStep(this.context()));
    this.#changing = changing.catch(() => {});
    await this.cancellation.guard(changing);
  }

  async #change(toolset: Toolset<never> | Promise<Toolset<never>>): Promise<void> {
    try {
      this.toolset = await toolset;
    } finally {
      this.#changing = undefined;
    }
  }

  /** The instructions for the next request: those of agent and run, then those of the toolset. */
  async instructions(): Promise<string | undefined> {
    const { instructions } = this.setup;
    const { getInstructions } = this.toolset;
    if (instructions.length === 0 && getInstructions === undefined) return undefined;
    const ctx = this.context();
    const own = await renderInstructions(instructions, ctx, this.cancellation);
    const ofTools = await this.cancellation.wait(getInstructions?.call(this.toolset, ctx));
    return own && ofTools ? `${own}\n\n${ofTools}` : own || ofTools || undefined;
  }

  /** Finds out which tools there are in this step. */
  async prepareTools(): Promise<void> {
    const tools = await this.cancellation.wait(this.toolset.getTools(this.context()));
    if (tools === this.tools) return;
    for (const name of this.outputPlan.tools.keys()) {
      if (tools.has(name)) {
        throw new UserError(
          `A tool has the name '${name}', which is that of an output tool. Rename the tool, or name the output with toolOutput.`,
        );
      }
    }
    this.tools = tools;
    const definitions = [...tools.values()].map((tool) => tool.definition);
    this.definitions = Object.freeze(definitions.filter((definition) => !definition.deferLoading));
    this.hasToolKinds = definitions.some((definition) => definition.toolKind !== undefined);
  }

  /** The settings for the next request. */
  mergedSettings(): ModelSettings | undefined {
    return mergeSettings(this.model.settings, this.setup.settings);
  }
}

let lastTime = Number.NaN;
let lastText = '';

/** A time as text. Most of what a run does within a millisecond has the same one: 4 % of a plain step. */
function isoTime(time: number): string {
  if (time !== lastTime) {
    lastTime = time;
    lastText = new Date(time).toISOString();
  }
  return lastText;
}
