import type { Cancellation } from '../context/cancellation.ts';
import { chain, type MaybePromise } from '../context/chain.ts';
import { Context } from '../context/context.ts';
import type { Environment } from '../context/environment.ts';
import type { AgentInfo, RunContext } from '../context/run-context.ts';
import type { Tracer } from '../context/tracer.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import { UserError } from '../errors/user-error.ts';
import type { OutputScope, OutputValidator } from '../execution/process-output.ts';
import type { ClaimScope } from '../execution/claim.ts';
import { RetryCounter } from '../execution/retry-counter.ts';
import type { ParallelMode } from '../execution/scope.ts';
import type { VerifyApproval } from '../execution/approval.ts';
import { ToolManager } from '../execution/tool-manager.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import type { JsonObject } from '../messages/json.ts';
import {
  lastResponse,
  lastResponseIndex,
  type Message,
  type ModelRequest,
  type ModelResponse,
  toolCallsOf,
} from '../messages/message.ts';
import { cleanerOf } from '../messages/open-history.ts';
import { type StepRecord, withStepRecord } from '../messages/step-record.ts';
import type { RequestPart } from '../messages/request-part.ts';
import type { ResponsePart, ToolCallPart } from '../messages/response-part.ts';
import type { Model } from '../models/model.ts';
import type { NativeTool } from '../models/native-tool.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import { Discovery } from '../toolsets/tool-search/discovery.ts';
import type { ToolMap } from '../toolsets/toolset.ts';
import type { UsageLimits } from '../usage/limits.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { EventSink, StepEvent } from '../capabilities/events.ts';
import { type HookSet, hooksForRun, NO_HOOKS } from '../capabilities/hook-set.ts';
import { claimsOf } from './claims.ts';
import { Denials } from './denials.ts';
import { isoTime } from './iso-time.ts';
import type { RunSetup } from './run-setup.ts';
import { RunToolset } from './run-toolset.ts';
import { indexOfCall, nameOfStep, newStep, type StepPlace } from './step-names.ts';
import { sinkWithHandler } from './event-sinks.ts';
import { offerTools, wantedNativeTools } from './offer-tools.ts';
import { renderInstructions } from '../context/instructions.ts';
import type { Round } from './round.ts';

const NO_CALLS: StepRecord['open'] = new Map();
const NO_TOOLS: ToolMap<never> = new Map();
const NO_NATIVE_TOOLS: readonly NativeTool[] = Object.freeze([]);
const NO_DEFINITIONS: readonly ToolDefinition[] = Object.freeze([]);

/** The state of a run. Everything that changes while it goes on is here. */
export class Run implements OutputScope {
  readonly setup: RunSetup;
  // What many look for in every step is not looked for in the setup.
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
  /** The tool calls that are being worked on, until the next request tells what came of them. */
  round: Round | undefined = undefined;
  /** While an answer comes in: what can be kept of it should it break off. */
  receiving: (() => readonly ResponsePart[]) | undefined = undefined;
  /** Whether the answer to the current request came in piece by piece. */
  streamed = false;
  modelSettings: ModelSettings | undefined = undefined;
  tools: ToolMap<never> = NO_TOOLS;
  readonly toolset: RunToolset;
  /** Made when they are needed, which in most runs they are not. */
  #discovery: Discovery | undefined;
  #revealed: Set<string> | undefined;
  #toldHidden: Set<string> | undefined;
  #denials: Denials | undefined;
  /** What the toolset gave for the current step, and the native tools that are wanted in it. */
  #found: ToolMap<never> = NO_TOOLS;
  #wantedNative: readonly NativeTool[] = NO_NATIVE_TOOLS;
  /** The tools of the current step as the model is offered them. */
  definitions: readonly ToolDefinition[] = NO_DEFINITIONS;
  /** The tools that the provider runs itself in the current step. */
  nativeTools: readonly NativeTool[] = NO_NATIVE_TOOLS;
  readonly counter: RetryCounter = new RetryCounter();
  /** Whether calls to some of the tools have a meaning across providers. */
  hasToolKinds = false;
  readonly toolManager: ToolManager;
  hooks: HookSet;
  readonly claims: ClaimScope | undefined;
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
    this.prompt = setup.prompt;
    this.toolset = new RunToolset(setup, this);
    this.wire = setup.history;
    // A frozen array is not sliced: that is 80 times slower than this.
    this.messages = [...setup.kept];
    this.newFrom = this.messages.length;
    this.fresh = this.messages.length;
    this.toolManager = new ToolManager(this);
    const { ledger } = setup.guarantees;
    this.claims = ledger && claimsOf(this, ledger);
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
  /** Whether calls that wait get a digest. */
  get wantsDigests(): boolean {
    return this.claims !== undefined || this.setup.guarantees.digests;
  }
  /** Whether the run may end with calls that wait. */
  get mayPark(): boolean {
    return this.setup.delegation?.parks ?? this.outputPlan.allowsDeferred;
  }
  /** The ids of the calls that have handed this run its work, the outermost first. */
  get path(): readonly string[] {
    const { delegation } = this.setup;
    if (delegation === undefined) return [];
    const { toolCallId } = delegation.ctx;
    return toolCallId === undefined ? delegation.run.path : [...delegation.run.path, toolCallId];
  }
  /** The id of the run that has no parent: this one, or the one that its work was delegated from. */
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

  /** Whether there may be hooks around the run; some are known only when it begins. */
  get mayHaveHooksAround(): boolean {
    return this.setup.hooks === undefined || this.hooks.wrapRun !== undefined;
  }

  /** Makes the hooks that have a state of their own for this run. */
  async makeHooks(): Promise<void> {
    const { capabilities, hooks } = this.setup;
    if (hooks !== undefined) return;
    this.hooks = await this.cancellation.wait(hooksForRun(capabilities, this.context()));
    if (this.hooks.onEvent !== undefined) this.#listen(this.hooks.onEvent);
  }

  #listen(onEvents: NonNullable<HookSet['onEvent']>): void {
    // The first is told first.
    for (const onEvent of onEvents.toReversed()) {
      this.#sink = sinkWithHandler(this.#sink, (event) =>
        this.cancellation.wait(onEvent(event, this.context())),
      );
    }
  }

  /** The handlers that may leave calls open; each gets what those before it left. */
  get chainedHandlers(): readonly DeferredToolHandler<never>[] {
    const { outerHandlers } = this.setup;
    const own = this.hooks.handleDeferredToolCalls;
    if (own === undefined) return outerHandlers;
    return outerHandlers.length === 0 ? own : [...own, ...outerHandlers];
  }

  reveal(toolNames: readonly string[]): readonly string[] {
    this.#discovery ??= new Discovery();
    const revealed = (this.#revealed ??= new Set());
    const known = this.#discovery.in(this.messages);
    const fresh = toolNames.filter((name) => !known.has(name) && !revealed.has(name));
    for (const name of fresh) revealed.add(name);
    return Object.freeze(fresh);
  }

  get toldHidden(): Set<string> {
    this.#toldHidden ??= new Set();
    return this.#toldHidden;
  }

  /** Whether the same call was denied before. */
  wasDenied(call: ToolCallPart): boolean {
    this.#denials ??= new Denials();
    return this.#denials.include(call, this.messages);
  }

  /** The position of a call among the calls of the last response. */
  indexOf(call: ToolCallPart): number {
    return indexOfCall(this.lastResponse, call);
  }

  idempotencyKey(call: ToolCallPart, place: Omit<StepPlace, 'runId'>): string {
    const index = indexOfCall(place.response, call);
    const step = nameOfStep(this.messages, { ...place, runId: this.runId });
    // What a tool has called itself is not among the calls of the response.
    return `${step}:${index < 0 ? call.toolCallId : index}`;
  }

  /**
   * The name of the step that the last response began: what was recorded when it parked, or what it
   * will be called. The same in every copy of the history, whoever goes on with it.
   */
  stepName(): string {
    const { runId, runStep, lastResponse: response } = this;
    return nameOfStep(this.messages, { runId, runStep, response });
  }

  /** What that step is called where nothing is recorded of it, as its response may note it. */
  newStep(): string | number {
    const { runId, runStep, lastResponse: response } = this;
    // Its number is enough, as `newStep` would find out by the form of the id, which takes 0.2 µs.
    if (this.setup.hasNewId && response?.runId === runId) return runStep;
    return newStep(this.messages, { runId, runStep, response });
  }

  /** Writes the name of the step down, for whoever goes on with the history: the ledger goes by it. */
  nameStep(): void {
    const response = this.lastResponse;
    if (response === undefined || toolCallsOf(response).length === 0) return;
    const record = { step: this.stepName(), open: NO_CALLS };
    this.replaceLastResponse((message) => withStepRecord(message, record));
  }

  get lastResponse(): ModelResponse | undefined {
    return lastResponse(this.messages);
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

  /** Puts another message in place of the last one, which there is; models are not told the difference. */
  replaceLast(change: (message: Message) => Message): void {
    this.messages[this.messages.length - 1] = change(this.messages.at(-1)!);
  }

  /** Puts another message in place of the last response, which there is; models are not told the difference. */
  replaceLastResponse(change: (response: Message) => Message): void {
    const index = lastResponseIndex(this.messages);
    this.messages[index] = change(this.messages[index]!);
  }

  /** The calls of the last response that have no result; outputs need none. */
  openToolCalls(): readonly ToolCallPart[] {
    const { tools } = this.outputPlan;
    const open = this.wire.openCalls;
    return tools.size === 0 ? open : open.filter((call) => !tools.has(call.toolName));
  }

  /** Puts another history in place. */
  replaceHistory(messages: readonly Message[]): void {
    const firstNew = messages.findIndex((message) => message.runId === this.runId);
    this.newFrom = firstNew < 0 ? messages.length : firstNew;
    this.messages = [...messages];
    this.wire = cleanerOf(messages);
  }

  /** A request of this run. */
  request(
    parts: readonly RequestPart[],
    more?: Pick<ModelRequest, 'instructions' | 'state'>,
  ): ModelRequest {
    const { runId, conversationId } = this.setup;
    const timestamp = this.timestamp();
    // A list that grew has room for sixteen more, for as long as the history is kept; a copy has none.
    const frozenParts = Object.freeze([...parts]);
    return Object.freeze(
      more === undefined
        ? { kind: 'request', parts: frozenParts, timestamp, runId, conversationId }
        : { kind: 'request', parts: frozenParts, timestamp, ...more, runId, conversationId },
    );
  }

  timestamp(): string {
    return isoTime(this.environment.now());
  }

  /** The instructions for the next request: those of agent and run, then those of the toolset. */
  instructions(): MaybePromise<string | undefined> {
    const { instructions } = this.setup;
    const toolset = this.toolset.current;
    if (instructions.length === 0 && toolset.getInstructions === undefined) return undefined;
    const ctx = this.context();
    return chain(renderInstructions(instructions, ctx, this.cancellation), (own) =>
      chain(this.cancellation.wait(toolset.getInstructions?.(ctx)), (ofTools) =>
        own && ofTools ? `${own}\n\n${ofTools}` : own || ofTools || undefined,
      ),
    );
  }

  /** Finds out which tools there are in this step. */
  prepareTools(): MaybePromise<void> {
    const ctx = this.context();
    const { nativeTools } = this.setup;
    return chain(this.cancellation.wait(this.toolset.current.getTools(ctx)), (tools) =>
      nativeTools.length === 0
        ? this.#offer(tools, NO_NATIVE_TOOLS)
        : wantedNativeTools(nativeTools, ctx, this.cancellation).then((native) =>
            this.#offer(tools, native),
          ),
    );
  }

  #offer(tools: ToolMap<never>, native: readonly NativeTool[]): void {
    const isKnown = tools === this.#found && sameItems(native, this.#wantedNative);
    if (isKnown && this.runStep > 1) return;
    for (const name of this.outputPlan.tools.keys()) {
      if (tools.has(name)) {
        throw new UserError(
          `A tool has the name '${name}', which is that of an output tool. Rename the tool, or name the output with toolOutput.`,
        );
      }
    }
    const offer = offerTools(this.model, tools, native);
    this.#found = tools;
    this.#wantedNative = native;
    // A call that waits may be to a tool that another model had no need for: before the first request all are there.
    this.tools = this.runStep === 0 ? tools : offer.tools;
    this.definitions = offer.definitions;
    this.nativeTools = offer.nativeTools;
    this.hasToolKinds = offer.hasToolKinds;
  }
}

function sameItems(these: readonly unknown[], those: readonly unknown[]): boolean {
  if (these === those) return true;
  return these.length === those.length && these.every((item, index) => item === those[index]);
}
