import type { Cancellation } from '../context/cancellation.ts';
import { Context } from '../context/context.ts';
import type { Environment } from '../context/environment.ts';
import type { AgentInfo, RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handlers.ts';
import { UserError } from '../errors/user-errors.ts';
import type { OutputScope, OutputValidator } from '../execution/process-output.ts';
import type { LedgerClient } from '../gate/claim-plan.ts';
import { RetryCounter } from '../execution/retry-counter.ts';
import type { ParallelMode } from '../execution/scope.ts';
import type { VerifyApproval } from '../gate/approval.ts';
import { ToolManager } from '../execution/tool-manager.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ModelRequest } from '../messages/message.ts';
import type { RequestPart } from '../messages/request-part.ts';
import type { Model } from '../models/model.ts';
import type { NativeTool } from '../models/native-tool.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { ToolMap } from '../toolsets/toolset.ts';
import { type EventSink, type StepEvent, addEventHandler } from '../events/run-events.ts';
import { type HookSet, hooksForRun, NO_HOOKS } from '../capabilities/hook-set.ts';
import { claimsOf } from './claims.ts';
import type { RunSetup } from './run-setup.ts';
import { RunToolset } from './run-toolset.ts';
import { RunState } from './run-state.ts';
import { offerTools, requestedNativeTools } from './model/offered-tools.ts';
import { renderInstructions } from '../context/instructions.ts';
import type { RunUsage, UsageLimits } from '../usage/usage.ts';

/**
 * A run with the services that its steps and the execution of its calls use, such as hooks, tools, cancellation,
 * environment and events.
 */
export class Run extends RunState implements OutputScope {
  readonly setup: RunSetup;
  readonly agent: AgentInfo;
  readonly model: Model;
  readonly deps: never;
  readonly conversationId: string;
  readonly usage: RunUsage;
  readonly limits: UsageLimits | undefined;
  readonly metadata: JsonObject | undefined;
  readonly validationContext: unknown;
  readonly environment: Environment;
  readonly cancellation: Cancellation;
  readonly outputPlan: OutputPlan;
  readonly outputValidators: readonly OutputValidator<never, unknown>[];
  readonly toolRetries: number;
  readonly outputRetries: number;
  readonly toolTimeout: number | undefined;
  readonly parallelMode: ParallelMode;
  readonly onDrift: 'ask' | 'deny';
  readonly approvalVerifiers: readonly VerifyApproval[];
  readonly reportEditedArgs: boolean;
  /** The claims of its calls; `undefined` without a ledger. */
  readonly claims: LedgerClient | undefined;
  /** True if approval requests get a digest. */
  readonly wantsDigests: boolean;
  /** True if the run may park. */
  readonly mayPark: boolean;
  /** The ids of the calls that delegated to this run, the outermost first. */
  readonly path: readonly string[];
  /** The id of the outermost run: this one, or the one that delegated to it. */
  readonly outermostRunId: string;
  readonly toolset: RunToolset;
  /** The tools of the current step. */
  tools: ToolMap<never> = new Map();
  /** The definitions of the tools that the model is offered in the current step. */
  definitions: readonly ToolDefinition[] = [];
  /** The tools that the provider executes itself in the current step. */
  nativeTools: readonly NativeTool[] = [];
  readonly counter: RetryCounter = new RetryCounter();
  /** The retries of each tool when the current step began. */
  retries: Readonly<Record<string, number>> = this.counter.counts;
  hooks: HookSet;
  /** True if the run has an observer. */
  observed: boolean;
  #sink: EventSink | undefined;
  #toolManager: ToolManager | undefined;

  constructor(setup: RunSetup) {
    super(setup);
    const { guarantees, delegation } = setup;
    this.setup = setup;
    this.agent = setup.agent;
    this.model = setup.model;
    this.deps = setup.deps;
    this.conversationId = setup.conversationId;
    this.usage = setup.usage;
    this.limits = setup.limits;
    this.metadata = setup.metadata;
    this.validationContext = setup.validationContext;
    this.environment = setup.environment;
    this.cancellation = setup.cancellation;
    this.outputPlan = setup.outputPlan;
    this.outputValidators = setup.outputValidators;
    this.toolRetries = setup.toolRetries;
    this.outputRetries = setup.outputRetries;
    this.toolTimeout = setup.toolTimeout;
    this.parallelMode = setup.parallelMode;
    this.onDrift = guarantees.onDrift;
    this.approvalVerifiers = guarantees.approvalVerifiers;
    this.reportEditedArgs = guarantees.reportEditedArgs;
    this.claims = guarantees.ledger && claimsOf(setup, this, guarantees.ledger);
    this.wantsDigests = this.claims !== undefined || guarantees.digests;
    this.mayPark = delegation?.parks ?? (guarantees.mayPark || setup.outputPlan.allowsDeferred);
    const { path = [], outermostRunId = setup.runId } = delegation?.run ?? {};
    const delegatingCallId = delegation?.ctx.toolCallId;
    this.path = delegatingCallId === undefined ? path : [...path, delegatingCallId];
    this.outermostRunId = outermostRunId;
    this.toolset = new RunToolset(setup, this);
    this.#sink = setup.sink;
    this.observed = setup.sink !== undefined;
    this.hooks = setup.hooks ?? NO_HOOKS;
    if (this.hooks.onEvent !== undefined) this.#addObservers(this.hooks.onEvent);
  }

  get toolManager(): ToolManager {
    this.#toolManager ??= new ToolManager(this);
    return this.#toolManager;
  }

  /** The handlers that may leave calls pending. Each receives the calls that earlier handlers left pending. */
  get chainedHandlers(): readonly DeferredToolHandler<never>[] {
    const { outerHandlers } = this.setup;
    return [...(this.hooks.handleDeferredToolCalls ?? []), ...outerHandlers];
  }

  /** True if a handler may resolve deferred calls. */
  get hasHandlers(): boolean {
    return this.setup.deferredToolHandler !== undefined || this.chainedHandlers.length > 0;
  }

  emit(event: StepEvent, isRecorded = false): Promise<void> | undefined {
    if (this.#sink === undefined) return undefined;
    const isReplayed = isRecorded || this.environment.replaying();
    return this.#sink(isReplayed ? { ...event, replayed: true } : event);
  }

  /** Creates the hooks of capabilities that have a state per run. */
  async createHooks(): Promise<void> {
    const { capabilities } = this.setup;
    this.hooks = await this.cancellation.guard(hooksForRun(capabilities, this.context()));
    if (this.hooks.onEvent !== undefined) this.#addObservers(this.hooks.onEvent);
  }

  #addObservers(handlers: NonNullable<HookSet['onEvent']>): void {
    // The last one is added first, so that the first handler is notified first.
    for (const handler of handlers.toReversed()) {
      this.#sink = addEventHandler(this.#sink, (event) =>
        this.cancellation.guard(handler(event, this.context())),
      );
    }
    this.observed = true;
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
    const {
      runId = this.runId,
      conversationId = this.conversationId,
      metadata,
    } = this.resent ?? {};
    return Object.freeze({
      kind: 'request',
      parts: Object.freeze([...parts]),
      timestamp: new Date(this.environment.now()).toISOString(),
      ...more,
      runId,
      conversationId,
      ...(metadata && { metadata }),
    });
  }

  /** Returns the instructions for the next request: those of agent and run, then those of the toolset. */
  async instructions(ctx: RunContext<never>): Promise<string | undefined> {
    const { instructions } = this.setup;
    const ofAgent =
      instructions.length === 0
        ? undefined
        : await renderInstructions(instructions, ctx, this.cancellation);
    const given = this.toolset.current.getInstructions?.(ctx);
    const ofTools = given === undefined ? undefined : await this.cancellation.guard(given);
    return ofAgent && ofTools ? `${ofAgent}\n\n${ofTools}` : ofAgent || ofTools || undefined;
  }

  /** True if the model may search for hidden tools in this step. */
  get hasToolSearch(): boolean {
    return (
      this.nativeTools.some(({ kind }) => kind === 'tool-search') ||
      this.definitions.some(({ toolKind }) => toolKind === 'tool-search')
    );
  }

  /** Begins the next step, unless it has begun: counts it, and prepares its toolset and its tools. */
  async enterStep(): Promise<void> {
    const isEntered = this.isStepEntered;
    this.isStepEntered = false;
    if (isEntered) return;
    this.runStep += 1;
    this.counter.nextStep();
    this.retries = this.counter.counts;
    if (this.toolset.changesPerStep) await this.toolset.enterStep();
    await this.prepareTools(new Context(this));
  }

  /** Prepares the tools that the model is offered in this step. */
  async prepareTools(ctx: RunContext<never>): Promise<void> {
    const { nativeTools: sources } = this.setup;
    const getting = this.toolset.current.getTools(ctx);
    const tools = getting instanceof Map ? getting : await this.cancellation.guard(getting);
    const native =
      sources.length === 0 ? [] : await requestedNativeTools(sources, ctx, this.cancellation);
    for (const name of this.outputPlan.tools.keys()) {
      if (tools.has(name)) {
        throw new UserError(
          `A tool has the name \`${name}\`, which is that of an output tool. Rename the tool, or name the output with \`toolOutput\`.`,
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
