import type { Capability } from '../capabilities/capability.ts';
import { checkCapabilities } from '../capabilities/check-capabilities.ts';
import {
  type HookSet,
  hookSet,
  inheritedCapabilities,
  NO_HOOKS,
} from '../capabilities/hook-set.ts';
import type { EventSink } from '../events/run-events.ts';
import type { Cancellation } from '../context/cancellation.ts';
import { liveEnvironment } from '../context/environment.ts';
import { type Instruction, instructionList } from '../context/instructions.ts';
import type { AgentInfo } from '../context/run-context.ts';
import { UserError } from '../errors/user-errors.ts';
import { environmentOf, handlersOf as inheritedHandlers } from '../loop/delegation.ts';
import type { Guarantees, RunDelegation, RunSetup } from '../loop/run-setup.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { Message } from '../messages/message.ts';
import type { ContinuedHistory } from '../messages/open-history.ts';
import { stepRecordOf } from '../messages/step-record.ts';
import { inferModel } from '../models/infer-model.ts';
import type { Model } from '../models/model.ts';
import { type OutputPlan, planOutput } from '../output/output-plan.ts';
import type { OutputSpec } from '../output/output-spec.ts';
import { joinKnownTools, type KnownTools, knownToolsOf } from '../tools/known-tools.ts';
import type { AbstractToolset } from '../toolsets/abstract-toolset.ts';
import { CombinedToolset } from '../toolsets/combined-toolset.ts';
import type { ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';
import { ToolSearchToolset } from '../toolsets/tool-search.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import { checkLimits, RunUsage, stricterLimits } from '../usage/usage.ts';
import type {
  AgentOptions,
  AnyTools,
  AnyToolsets,
  OverrideOptions,
  Retries,
  RunOptions,
} from './agent-options.ts';
import {
  type Contributions,
  changedBy,
  collectContributions,
  toToolset,
  toolsetsOf,
} from './capability-toolsets.ts';
import { conversationIdFor, requireNewRunId } from './run-ids.ts';

/** The milliseconds for which a claim holds without a heartbeat. Heartbeats are three times as frequent. */
const DEFAULT_LEASE = 60_000;

/** Options of an agent without the types of deps and output, which the public signatures have. */
export type AnyAgentOptions = AgentOptions<AnyTools, OutputSpec, never, AnyToolsets>;

/** Options of a run without the types of deps and output. */
export type AnyRunOptions = RunOptions<never, OutputSpec> & { readonly deps?: unknown };

/** Options of a resumed run. */
export type ResumeRunOptions = AnyRunOptions & { readonly prompt?: UserPrompt | undefined };

/** The options of the current `override`. */
export type Override = OverrideOptions<never> | undefined;

/** The values with which an agent starts a run. */
export interface RunRequest {
  readonly agent: AgentInfo;
  readonly model: Model;
  readonly prompt: UserPrompt | undefined;
  readonly history: ContinuedHistory;
  readonly options: AnyRunOptions;
  readonly override: Override;
  readonly cancellation: Cancellation;
  readonly delegation: RunDelegation | undefined;
  /** Receives the events. */
  readonly sink: EventSink | undefined;
  /** True if the model streams its responses by default. The options of the run take precedence. */
  readonly streaming: boolean | (() => boolean);
}

/** The validated options of an agent, and the values that all its runs share. */
export class AgentConfig {
  readonly #options: AnyAgentOptions;
  readonly #tools: FunctionToolset<never>;
  readonly #toolsets: readonly Toolset<never>[];
  readonly #outputPlan: OutputPlan;
  readonly #instructions: readonly Instruction<never>[];
  readonly #systemPrompts: readonly Instruction<never>[];
  readonly #capabilities: readonly Capability<never>[];
  /** The hooks of the agent's capabilities, if they are the same for all runs. */
  readonly #hooks: HookSet | undefined;
  readonly #toolRetries: number;
  readonly #outputRetries: number;
  /** The contributions of agent and capabilities, for runs that add none. */
  readonly #contributions: Contributions;
  /**
   * True if all tools of the agent are always visible, and no toolset or capability adds, changes
   * or defers tools.
   */
  readonly #hasOnlyTools: boolean;
  /** The toolsets that can stay open across runs. */
  readonly sharedToolsets: CombinedToolset<never>;
  #model: Model | undefined;
  #loadingModel: Promise<Model> | undefined;

  constructor(options: AnyAgentOptions) {
    this.#options = options;
    this.#tools = new FunctionToolset<never>(options.tools ?? [], { label: 'the agent' });
    this.#capabilities = options.capabilities ?? [];
    checkCapabilities(this.#capabilities);
    this.#hooks = commonHooks(this.#capabilities);
    this.#contributions = collectContributions(options, this.#capabilities, {});
    this.#toolsets = [
      // `checkAgentOptions` has validated them.
      ...((options.toolsets ?? []) as readonly (Toolset<never> | ToolsetFactory<never>)[]).map(
        toToolset,
      ),
      ...this.#capabilities.flatMap(toolsetsOf),
    ];
    this.#hasOnlyTools =
      !this.#tools.mayHideTools &&
      this.#toolsets.length === 0 &&
      this.#capabilities.length === 0 &&
      options.approvalPolicy === undefined;
    this.sharedToolsets = new CombinedToolset(this.#toolsets);
    this.#outputPlan = planOutput(options.output ?? String);
    this.#instructions = instructionList<never>(options.instructions);
    this.#systemPrompts = instructionList<never>(options.systemPrompt);
    this.#toolRetries = retriesOf('tools', options.retries) ?? 1;
    this.#outputRetries = retriesOf('output', options.retries) ?? 1;
    checkLimits(options.usageLimits);
  }

  /** The model of the agent; `undefined` before it was loaded. */
  get model(): Model | undefined {
    return this.#model;
  }

  /** Loads the model of the agent. */
  async loadModel(): Promise<Model> {
    const { model } = this.#options;
    if (model === undefined) {
      throw new UserError(
        "The run has no model. Pass `model` to the agent or the run, such as `openai('gpt-5')`.",
      );
    }
    this.#loadingModel ??= inferModel(model);
    try {
      this.#model = await this.#loadingModel;
      return this.#model;
    } finally {
      // After an error, the next run tries again: the package may be installed by then.
      this.#loadingModel = undefined;
    }
  }

  /** Returns the executor of a tool; `'none'` if the tool does not exist, `undefined` if that is known only in a run. */
  executorOf(toolName: string): object | 'none' | undefined {
    const executor = this.#tools.executorOf(toolName);
    return executor ?? (this.#toolsets.length === 0 ? 'none' : undefined);
  }

  /** Returns the names of the tools that are known without a run. */
  knownTools(): KnownTools {
    const known = joinKnownTools([this.#tools, ...this.#toolsets].map(knownToolsOf));
    const isComplete = this.#capabilities.every(({ changeTools }) => changeTools === undefined);
    return { ...known, isComplete: known.isComplete && isComplete };
  }

  /** Merges the options of the agent and of a run. */
  setupFor(request: RunRequest): RunSetup {
    const { override, delegation } = request;
    const options =
      delegation === undefined
        ? request.options
        : withInherited(request.options, delegation, this.#capabilities);
    const agent = this.#options;
    const environment =
      override?.environment ??
      options.environment ??
      (delegation ? environmentOf(delegation) : agent.environment) ??
      liveEnvironment;
    const inherited = delegation && inheritedHandlers(delegation);
    const limits = options.usageLimits ?? agent.usageLimits;
    if (options.usageLimits !== undefined) checkLimits(options.usageLimits);
    const { cleaner: history, messages } = request.history;
    if (options.runId !== undefined) requireNewRunId(options.runId, history.messages);
    const capabilities = options.capabilities?.length
      ? [...this.#capabilities, ...options.capabilities]
      : this.#capabilities;
    const hasSameCapabilities = capabilities === this.#capabilities;
    if (!hasSameCapabilities) checkCapabilities(capabilities);
    const hasSameContributions =
      hasSameCapabilities &&
      options.modelSettings === undefined &&
      options.nativeTools === undefined;
    const contributions = hasSameContributions
      ? this.#contributions
      : collectContributions(agent, capabilities, options);
    const guarantees = this.#guarantees(request);
    const toolRetries =
      options.retries === undefined ? undefined : retriesOf('tools', options.retries);
    const outputRetries =
      options.retries === undefined ? undefined : retriesOf('output', options.retries);
    const continuesUsage = guarantees.carryUsage && options.deferredToolResults !== undefined;
    const streaming = options.events?.responses ?? request.streaming;
    const defaultToolTimeout = options.toolTimeout ?? delegation?.run.setup.defaultToolTimeout;
    return {
      agent: request.agent,
      model: request.model,
      // The types of `run` and `override` ensure that these are the deps that the tools need.
      deps: (override?.deps ?? options.deps) as never,
      prompt: request.prompt,
      modelHistory: history,
      messages: messages,
      runId: options.runId ?? environment.newId(),
      conversationId: conversationIdFor(options, history) ?? environment.newId(),
      toolset:
        this.#hasOnlyTools && hasSameCapabilities && !override?.tools && !options.toolsets
          ? this.#tools
          : this.#toolsetFor(options, override, capabilities),
      instructions:
        capabilities.length === 0 &&
        override?.instructions === undefined &&
        options.instructions === undefined
          ? this.#instructions
          : this.#instructionsFor(options, override, capabilities),
      systemPrompts: this.#systemPrompts,
      historyProcessors: contributions.historyProcessors,
      outputPlan:
        options.output === undefined ? this.#outputPlan : this.#outputPlanFor(options.output),
      outputValidators: agent.outputValidators ?? [],
      endStrategy: agent.endStrategy ?? 'graceful',
      parallelMode: options.parallelMode ?? 'parallel',
      toolRetries: toolRetries ?? this.#toolRetries,
      outputRetries: outputRetries ?? this.#outputRetries,
      toolTimeout: agent.toolTimeout ?? defaultToolTimeout,
      defaultToolTimeout,
      usage:
        options.usage ??
        delegation?.ctx.usage ??
        (continuesUsage ? parkedUsage(history.messages) : new RunUsage()),
      limits: delegation ? stricterLimits(limits, delegation.run.limits) : limits,
      settings: contributions.settings,
      nativeTools: contributions.nativeTools,
      metadata: options.metadata ?? agent.metadata,
      validationContext: options.validationContext ?? agent.validationContext,
      environment,
      cancellation: request.cancellation,
      deferredToolResults: options.deferredToolResults,
      delegation,
      guarantees,
      capabilities,
      hooks: hasSameCapabilities ? this.#hooks : commonHooks(capabilities),
      outerHandlers: inherited?.chained ?? [],
      deferredToolHandler:
        options.deferredToolHandler ?? agent.deferredToolHandler ?? inherited?.last,
      onPendingCalls: options.onPendingCalls ?? 'error',
      sink: request.sink,
      onToolCalls: options.onToolCalls ?? delegation?.run.setup.onToolCalls,
      isStreaming: typeof streaming === 'function' ? streaming : () => streaming,
      subAgentEvents: options.events?.subAgents ?? delegation?.run.setup.subAgentEvents ?? false,
    };
  }

  /**
   * Combines the tools and toolsets of agent and run. Capabilities change the result, the tool search wraps that, and
   * the approval policy of the agent is outermost.
   */
  #toolsetFor(
    options: AnyRunOptions,
    override: Override,
    capabilities: readonly Capability<never>[],
  ): Toolset<never> {
    const tools = override?.tools
      ? new FunctionToolset<never>(override.tools, { label: 'the agent' })
      : this.#tools;
    const toolsets = [
      ...this.#toolsets,
      ...(options.capabilities ?? []).flatMap(toolsetsOf),
      ...(options.toolsets ?? []).map(toToolset),
    ];
    let toolset: AbstractToolset<never> =
      toolsets.length === 0 ? tools : new CombinedToolset<never>([tools, ...toolsets]);
    for (const capability of capabilities) toolset = changedBy(capability, toolset);
    if (toolset !== tools || tools.mayHideTools) {
      const search = capabilities.findLast((capability) => capability.toolSearch !== undefined);
      toolset = new ToolSearchToolset<never>(toolset, search?.toolSearch);
    }
    const { approvalPolicy } = this.#options;
    return approvalPolicy === undefined ? toolset : toolset.approvalRequired(approvalPolicy);
  }

  /** Returns the guarantees about the calls of a run. A sub-agent inherits those of the delegating run. */
  #guarantees({ options, delegation }: RunRequest): Guarantees {
    const agent = this.#options;
    const outer = delegation?.run.setup.guarantees;
    const ofRun = options.durability ?? {};
    const ofAgent = agent.durability ?? {};
    const lease = ofRun.lease ?? ofAgent.lease ?? outer?.lease ?? DEFAULT_LEASE;
    const ledger = ofRun.ledger ?? ofAgent.ledger ?? outer?.ledger;
    const atMostOnce = ofRun.atMostOnce ?? ofAgent.atMostOnce ?? outer?.atMostOnce ?? 'opt-in';
    if (atMostOnce === 'all-unsafe' && ledger === undefined) {
      throw new UserError(
        "`durability.atMostOnce` is `'all-unsafe'`, which requires a ledger. " +
          'Pass `durability.ledger` to the agent or the run.',
      );
    }
    return {
      ledger,
      lease,
      atMostOnce,
      onBusy: ofRun.onBusy ?? ofAgent.onBusy ?? outer?.onBusy ?? 'error',
      onAlreadyResumed:
        ofRun.onAlreadyResumed ?? ofAgent.onAlreadyResumed ?? outer?.onAlreadyResumed ?? 'error',
      onDrift: ofRun.onDrift ?? ofAgent.onDrift ?? outer?.onDrift ?? 'ask',
      approvalVerifiers: [
        ...(outer?.approvalVerifiers ?? []),
        ...[agent.verifyApproval, options.verifyApproval].filter((verify) => verify !== undefined),
      ],
      reportEditedArgs: options.reportEditedArgs ?? agent.reportEditedArgs ?? false,
      digests: ofRun.digests ?? ofAgent.digests ?? outer?.digests ?? false,
      carryUsage: ofRun.carryUsage ?? ofAgent.carryUsage ?? false,
      mayPark: ofRun.mayPark ?? ofAgent.mayPark ?? false,
    };
  }

  /** Returns the plan for the output of a run. */
  #outputPlanFor(output: OutputSpec): OutputPlan {
    const plan = planOutput(output);
    if (this.#options.outputValidators?.length && plan !== this.#outputPlan) {
      throw new UserError(
        'The agent has `outputValidators`, which apply only to the output of the agent. Remove `output` from the run, ' +
          'or create another agent for it.',
      );
    }
    return plan;
  }

  #instructionsFor(
    options: AnyRunOptions,
    override: Override,
    capabilities: readonly Capability<never>[],
  ): readonly Instruction<never>[] {
    const ofAgent =
      override?.instructions === undefined
        ? this.#instructions
        : instructionList(override.instructions);
    return [
      ...ofAgent,
      ...capabilities.flatMap(({ instructions }) => instructionList<never>(instructions)),
      ...instructionList(options.instructions),
    ];
  }
}

/** Returns the usage of the parked run that a history ends with. */
function parkedUsage(messages: readonly Message[]): RunUsage {
  const usage = new RunUsage();
  const spent = stepRecordOf(messages)?.usage;
  if (spent === undefined) {
    throw new UserError(
      'The history does not contain the usage of its run, so the run cannot continue counting. Set ' +
        '`durability.carryUsage` on runs that park as well, or pass `usage`.',
    );
  }
  usage.add(spent);
  return usage;
}

/** Returns the options of a sub-agent's run with the capabilities that it inherits. */
function withInherited(
  options: AnyRunOptions,
  delegation: RunDelegation,
  ofAgent: readonly Capability<never>[],
): AnyRunOptions {
  const ofRun = options.capabilities ?? [];
  const outer = delegation.run.setup.capabilities;
  const inherited = inheritedCapabilities(outer, [...ofAgent, ...ofRun]);
  return inherited.length === 0 ? options : { ...options, capabilities: [...inherited, ...ofRun] };
}

/** Returns the hooks of capabilities; `undefined` if one of them creates its hooks for each run. */
function commonHooks(capabilities: readonly Capability<never>[]): HookSet | undefined {
  if (capabilities.length === 0) return NO_HOOKS;
  const isCommon = capabilities.every(({ forRun }) => forRun === undefined);
  return isCommon ? hookSet(capabilities.map((capability) => [capability])) : undefined;
}

/** Returns the retries for tools or for the output; `undefined` if they are not set. */
function retriesOf(kind: 'tools' | 'output', given: Retries | undefined): number | undefined {
  const retries = typeof given === 'number' ? given : given?.[kind];
  if (retries === undefined || (Number.isInteger(retries) && retries >= 0)) return retries;
  throw new UserError(`\`retries\` for ${kind} is ${retries}. Pass an integer from 0 on.`);
}
