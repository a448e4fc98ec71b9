import type { Cancellation } from '../context/cancellation.ts';
import { Context } from '../context/context.ts';
import type { Environment } from '../context/environment.ts';
import type { AgentInfo, RunContext } from '../context/run-context.ts';
import type { Tracer } from '../context/tracer.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import { UserError } from '../errors/user-errors.ts';
import type { OutputScope, OutputValidator } from '../execution/process-output.ts';
import type { LedgerClient } from '../gate/claim-plan.ts';
import { RetryCounter } from '../execution/retry-counter.ts';
import type { ParallelMode } from '../execution/scope.ts';
import type { VerifyApproval } from '../gate/approval.ts';
import { ToolManager } from '../execution/tool-manager.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { JsonObject } from '../internal/json.ts';
import type { Message, ModelRequest, ModelResponse } from '../messages/message.ts';
import type { RequestPart } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { Model } from '../models/model.ts';
import type { NativeTool } from '../models/native-tool.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { ToolMap } from '../toolsets/toolset.ts';
import type { UsageLimits } from '../usage/limits.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { EventSink, StepEvent } from '../events/run-events.ts';
import { type HookSet, hooksForRun, NO_HOOKS } from '../capabilities/hook-set.ts';
import { claimsOf } from './claims.ts';
import type { RunSetup } from './run-setup.ts';
import { RunToolset } from './run-toolset.ts';
import type { StepPlace } from './resume/step-name.ts';
import { RunState } from './run-state.ts';
import { sinkWithHandler } from './event-sinks.ts';
import { offerTools, wantedNativeTools } from './model/offered-tools.ts';
import { renderInstructions } from '../context/instructions.ts';

/**
 * A run: the services that its steps and the execution of its calls use, such as hooks, tools, cancellation, environment
 * and events. Its history and counters are in `state`.
 */
export class Run implements OutputScope {
  readonly setup: RunSetup;
  readonly agent: AgentInfo;
  readonly model: Model;
  readonly deps: never;
  readonly runId: string;
  readonly conversationId: string;
  readonly usage: RunUsage;
  readonly limits: UsageLimits | undefined;
  readonly metadata: JsonObject | undefined;
  readonly validationContext: unknown;
  readonly tracer: Tracer;
  readonly traceIncludeContent: boolean;
  readonly environment: Environment;
  readonly cancellation: Cancellation;
  readonly outputPlan: OutputPlan;
  readonly outputValidators: readonly OutputValidator<never, unknown>[];
  readonly toolRetries: number;
  readonly outputRetries: number;
  readonly toolTimeout: number | undefined;
  readonly parallelMode: ParallelMode;
  readonly state: RunState;
  /** The tools of the current step. */
  tools: ToolMap<never> = new Map();
  readonly toolset: RunToolset;
  /** The definitions of the tools that the model is offered in the current step. */
  definitions: readonly ToolDefinition[] = [];
  /** The tools that the provider executes itself in the current step. */
  nativeTools: readonly NativeTool[] = [];
  readonly counter: RetryCounter = new RetryCounter();
  readonly toolManager: ToolManager;
  hooks: HookSet;
  readonly claims: LedgerClient | undefined;
  #sink: EventSink | undefined;

  constructor(setup: RunSetup) {
    this.setup = setup;
    this.agent = setup.agent;
    this.model = setup.model;
    this.deps = setup.deps;
    this.runId = setup.runId;
    this.conversationId = setup.conversationId;
    this.usage = setup.usage;
    this.limits = setup.limits;
    this.metadata = setup.metadata;
    this.validationContext = setup.validationContext;
    this.tracer = setup.tracer;
    this.traceIncludeContent = setup.traceIncludeContent;
    this.environment = setup.environment;
    this.cancellation = setup.cancellation;
    this.outputPlan = setup.outputPlan;
    this.outputValidators = setup.outputValidators;
    this.toolRetries = setup.toolRetries;
    this.outputRetries = setup.outputRetries;
    this.toolTimeout = setup.toolTimeout;
    this.parallelMode = setup.parallelMode;
    this.hooks = setup.hooks ?? NO_HOOKS;
    this.#sink = setup.sink;
    if (this.hooks.onEvent !== undefined) this.#listen(this.hooks.onEvent);
    this.state = new RunState(setup);
    this.toolset = new RunToolset(setup, this);
    this.toolManager = new ToolManager(this);
    const { ledger } = setup.guarantees;
    this.claims = ledger && claimsOf(setup, this.state, ledger);
  }

  get prompt(): UserPrompt | undefined {
    return this.state.prompt;
  }

  get messages(): readonly Message[] {
    return this.state.messages;
  }

  get lastResponse(): ModelResponse | undefined {
    return this.state.lastResponse;
  }

  get runStep(): number {
    return this.state.runStep;
  }

  get modelSettings(): ModelSettings | undefined {
    return this.state.modelSettings;
  }

  get outputRetriesUsed(): number {
    return this.state.outputRetriesUsed;
  }

  get calledHiddenTools(): Set<string> {
    return this.state.calledHiddenTools;
  }

  reveal(toolNames: readonly string[]): readonly string[] {
    return this.state.reveal(toolNames);
  }

  idempotencyKey(call: ToolCallPart, place: Omit<StepPlace, 'runId'>): string {
    return this.state.idempotencyKey(call, place);
  }

  get onDrift(): 'ask' | 'deny' {
    return this.setup.guarantees.onDrift;
  }
  get approvalVerifiers(): readonly VerifyApproval[] {
    return this.setup.guarantees.approvalVerifiers;
  }

  get reportEditedArgs(): boolean {
    return this.setup.guarantees.reportEditedArgs;
  }
  /** Whether approval requests get a digest. */
  get wantsDigests(): boolean {
    return this.claims !== undefined || this.setup.guarantees.digests;
  }
  /** Whether the run may park. */
  get mayPark(): boolean {
    return this.setup.delegation?.parks ?? this.outputPlan.allowsDeferred;
  }
  /** The ids of the calls that delegated to this run, the outermost first. */
  get path(): readonly string[] {
    const { delegation } = this.setup;
    if (delegation === undefined) return [];
    const { toolCallId } = delegation.ctx;
    return toolCallId === undefined ? delegation.run.path : [...delegation.run.path, toolCallId];
  }
  /** The id of the outermost run: this one, or the one that delegated to it. */
  get outermostRunId(): string {
    return this.setup.delegation?.run.outermostRunId ?? this.runId;
  }
  get retries(): Readonly<Record<string, number>> {
    return this.counter.counts;
  }
  get observed(): boolean {
    return this.#sink !== undefined;
  }

  emit(event: StepEvent, isRecorded = false): Promise<void> | undefined {
    if (this.#sink === undefined) return undefined;
    const isReplayed = isRecorded || this.environment.replaying();
    return this.#sink(isReplayed ? { ...event, replayed: true } : event);
  }

  /** Creates the hooks of capabilities that have a state per run. */
  async makeHooks(): Promise<void> {
    const { capabilities, hooks } = this.setup;
    if (hooks !== undefined) return;
    this.hooks = await this.cancellation.guard(hooksForRun(capabilities, this.context()));
    if (this.hooks.onEvent !== undefined) this.#listen(this.hooks.onEvent);
  }

  #listen(onEvents: NonNullable<HookSet['onEvent']>): void {
    // The last one is wrapped first, so that the first handler is notified first.
    for (const onEvent of onEvents.toReversed()) {
      this.#sink = sinkWithHandler(this.#sink, (event) =>
        this.cancellation.guard(onEvent(event, this.context())),
      );
    }
  }

  /** The handlers that may leave calls pending. Each gets the calls that those before it left. */
  get chainedHandlers(): readonly DeferredToolHandler<never>[] {
    const { outerHandlers } = this.setup;
    return [...(this.hooks.handleDeferredToolCalls ?? []), ...outerHandlers];
  }

  /** Returns the context of the step, outside of any call. */
  context(): RunContext<never> {
    return new Context(this);
  }

  /** Returns a request of this run. */
  request(
    parts: readonly RequestPart[],
    more?: Pick<ModelRequest, 'instructions' | 'state'>,
  ): ModelRequest {
    const { runId, conversationId } = this.setup;
    const timestamp = this.timestamp();
    const frozenParts = Object.freeze([...parts]);
    return Object.freeze({
      kind: 'request',
      parts: frozenParts,
      timestamp,
      ...more,
      runId,
      conversationId,
    });
  }

  timestamp(): string {
    return new Date(this.environment.now()).toISOString();
  }

  /** Returns the instructions for the next request: those of agent and run, then those of the toolset. */
  async instructions(): Promise<string | undefined> {
    const ctx = this.context();
    const ofAgent = await renderInstructions(this.setup.instructions, ctx, this.cancellation);
    const ofTools = await this.cancellation.guard(this.toolset.current.getInstructions?.(ctx));
    return ofAgent && ofTools ? `${ofAgent}\n\n${ofTools}` : ofAgent || ofTools || undefined;
  }

  /** Prepares the tools that the model is offered in this step. */
  async prepareTools(): Promise<void> {
    const ctx = this.context();
    const tools = await this.cancellation.guard(this.toolset.current.getTools(ctx));
    const native = await wantedNativeTools(this.setup.nativeTools, ctx, this.cancellation);
    this.#offer(tools, native);
  }

  #offer(tools: ToolMap<never>, native: readonly NativeTool[]): void {
    for (const name of this.outputPlan.tools.keys()) {
      if (tools.has(name)) {
        throw new UserError(
          `A tool has the name '${name}', which is that of an output tool. Rename the tool, or name the output with \`toolOutput\`.`,
        );
      }
    }
    const offer = offerTools(this.model, tools, native);
    // A pending call may use a tool that this model replaces by a native one, so all tools are available before the first request.
    this.tools = this.runStep === 0 ? tools : offer.tools;
    this.definitions = offer.definitions;
    this.nativeTools = offer.nativeTools;
  }
}
