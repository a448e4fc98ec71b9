import type { Cancellation } from '../context/cancellation.ts';
import { Context } from '../context/context.ts';
import type { Environment } from '../context/environment.ts';
import type { AgentInfo, RunContext, ToolCaller } from '../context/run-context.ts';
import type { Tracer } from '../context/tracer.ts';
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
import type { ResponsePart } from '../messages/response-part.ts';
import type { Model } from '../models/model.ts';
import { mergeSettings, type ModelSettings } from '../models/settings.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { ToolMap, Toolset } from '../toolsets/toolset.ts';
import type { UsageLimits } from '../usage/limits.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { EventSink, StepEvent } from './events.ts';
import type { HistoryProcessor } from './history-processor.ts';
import type { Instruction } from './instructions.ts';

/** What happens to tool calls beside an output: see the guide on outputs. */
export type EndStrategy = 'graceful' | 'early' | 'exhaustive';

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
  /** While an answer comes in: what can be kept of it should it break off. */
  receiving: (() => readonly ResponsePart[]) | undefined = undefined;
  modelSettings: ModelSettings | undefined = undefined;
  tools: ToolMap<never> = NO_TOOLS;
  /** The tools of the current step as the model is offered them. */
  definitions: readonly ToolDefinition[] = NO_DEFINITIONS;
  readonly counter: RetryCounter = new RetryCounter();
  readonly toolManager: ToolCaller;

  constructor(setup: RunSetup) {
    this.setup = setup;
    this.prompt = setup.prompt;
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

  /** Puts another history in place. */
  replaceHistory(messages: readonly Message[]): void {
    const newMessages = new Set(this.messages.slice(this.newFrom));
    const firstNew = messages.findIndex((message) => newMessages.has(message));
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
    return new Date(this.environment.now()).toISOString();
  }

  /** Finds out which tools there are in this step. */
  async prepareTools(): Promise<void> {
    const getting = this.setup.toolset.getTools(this.context());
    const tools = getting instanceof Promise ? await getting : getting;
    if (tools === this.tools) return;
    for (const name of this.outputPlan.tools.keys()) {
      if (tools.has(name)) {
        throw new UserError(
          `A tool has the name '${name}', which is that of an output tool. Rename the tool, or name the output with toolOutput.`,
        );
      }
    }
    this.tools = tools;
    this.definitions = Object.freeze([...tools.values()].map((tool) => tool.definition));
  }

  /** The settings for the next request. */
  mergedSettings(): ModelSettings | undefined {
    return mergeSettings(this.model.settings, this.setup.settings);
  }
}
