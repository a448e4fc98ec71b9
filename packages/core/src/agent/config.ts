import type { Capability } from '../capabilities/capability.ts';
import { checkCapabilities } from '../capabilities/check-capabilities.ts';
import type { EventSink } from '../events/run-events.ts';
import { type HookSet, hookSet, NO_HOOKS } from '../capabilities/hook-set.ts';
import type { Cancellation } from '../context/cancellation.ts';
import { liveEnvironment } from '../context/environment.ts';
import { type Instruction, instructionList } from '../context/instructions.ts';
import type { AgentInfo } from '../context/run-context.ts';
import { noopTracer } from '../context/tracer.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { environmentOf, handlersOf as inheritedHandlers } from '../loop/delegation.ts';
import type { Guarantees, RunDelegation, RunSetup } from '../loop/run-setup.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ContinuedHistory } from '../messages/open-history.ts';
import { stepRecordOf } from '../messages/step-record.ts';
import { inferModel } from '../models/infer-model.ts';
import type { Model } from '../models/model.ts';
import { type OutputPlan, planOutput } from '../output/output-plan.ts';
import type { OutputSpec } from '../output/output-spec.ts';
import { joinKnownTools, type KnownTools, knownToolsOf } from '../tools/known-tools.ts';
import { AbstractToolset } from '../toolsets/abstract-toolset.ts';
import { CombinedToolset } from '../toolsets/combined-toolset.ts';
import { DynamicToolset, type ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';
import { ToolSearchToolset } from '../toolsets/tool-search/tool-search-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import { checkLimits, stricterLimits } from '../usage/limits.ts';
import { RunUsage } from '../usage/run-usage.ts';
import type {
  AgentOptions,
  AnyTools,
  AnyToolsets,
  OverrideOptions,
  Retries,
  RunOptions,
} from './agent-options.ts';
import { collectContributions, type Contributions } from './contributions.ts';

/** How long a claim holds without a sign of life. A process that is still there gives one three times as often. */
const DEFAULT_LEASE = 60_000;

/** Options of an agent as the inside sees them: the types of deps and output were checked outside. */
export type AnyAgentOptions = AgentOptions<AnyTools, OutputSpec, never, AnyToolsets>;

/** Options of a run as the inside sees them. */
export type AnyRunOptions = RunOptions<never, OutputSpec> & { readonly deps?: unknown };

/** What an agent does differently at the moment. */
export type Override = OverrideOptions<never> | undefined;

/** What a run is started with beside the agent. */
export interface RunRequest {
  readonly agent: AgentInfo;
  readonly model: Model;
  readonly prompt: UserPrompt | undefined;
  readonly history: ContinuedHistory;
  readonly options: AnyRunOptions;
  readonly override: Override;
  readonly cancellation: Cancellation;
  readonly delegation: RunDelegation | undefined;
  /** Where the events go. */
  readonly sink: EventSink | undefined;
  /** Whether the model is asked to stream its answers. */
  readonly streaming: boolean;
}

/** An agent's options, checked and worked out as far as no run is needed for it. */
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
  /** What else agent and capabilities bring, for runs that add nothing to it. */
  readonly #brought: Contributions;
  /** The toolsets that can be held open across runs. */
  readonly sharedToolsets: CombinedToolset<never>;
  #model: Promise<Model> | undefined;

  constructor(options: AnyAgentOptions) {
    this.#options = options;
    this.#tools = new FunctionToolset<never>(options.tools ?? [], { label: 'the agent' });
    this.#capabilities = options.capabilities ?? [];
    checkCapabilities(this.#capabilities);
    this.#hooks = commonHooks(this.#capabilities);
    this.#brought = collectContributions(options, this.#capabilities, {});
    this.#toolsets = [
      // They were checked with the other options.
      ...((options.toolsets ?? []) as readonly (Toolset<never> | ToolsetFactory<never>)[]).map(
        toToolset,
      ),
      ...this.#capabilities.flatMap(toolsetsOf),
    ];
    this.sharedToolsets = new CombinedToolset(this.#toolsets);
    this.#outputPlan = planOutput(options.output ?? String);
    this.#instructions = instructionList<never>(options.instructions);
    this.#systemPrompts = instructionList<never>(options.systemPrompt);
    retriesFor('tools', undefined, options.retries);
    retriesFor('output', undefined, options.retries);
    checkLimits(options.usageLimits);
    if (options.toolTimeout !== undefined && !(options.toolTimeout > 0)) {
      throw new UserError(`toolTimeout is ${options.toolTimeout}; give more than 0 milliseconds.`);
    }
  }

  /** Returns the model of a run. */
  async modelFor(options: AnyRunOptions, override: Override): Promise<Model> {
    const other = override?.model ?? options.model;
    if (other !== undefined) return inferModel(other);
    if (this.#model === undefined) {
      if (this.#options.model === undefined) {
        throw new UserError(
          "There is no model. Give one to the agent or to the run, such as openai('gpt-5').",
        );
      }
      this.#model = inferModel(this.#options.model);
    }
    try {
      return await this.#model;
    } catch (error) {
      // The next run tries again: the package may be installed by then.
      this.#model = undefined;
      throw error;
    }
  }

  /** What executes a tool of the agent's own; `'none'` if there is no such tool, `undefined` if only a run knows. */
  executorOf(toolName: string): object | 'none' | undefined {
    const own = this.#tools.executorOf(toolName);
    return own ?? (this.#toolsets.length === 0 ? 'none' : undefined);
  }

  /** The names of the tools that are known without a run. */
  knownTools(): KnownTools {
    const known = joinKnownTools([this.#tools, ...this.#toolsets].map(knownToolsOf));
    const isComplete = this.#capabilities.every(({ changeTools }) => changeTools === undefined);
    return { ...known, isComplete: known.isComplete && isComplete };
  }

  /** Everything that a run needs to know. */
  setupFor(request: RunRequest): RunSetup {
    const { options, override, delegation } = request;
    const agent = this.#options;
    const environment =
      override?.environment ??
      options.environment ??
      (delegation ? environmentOf(delegation) : agent.environment) ??
      liveEnvironment;
    const inherited = inheritedHandlers(delegation);
    const limits = options.usageLimits ?? agent.usageLimits;
    const { cleaner: history, messages } = request.history;
    const capabilities = this.#capabilitiesFor(options);
    const addsNothing =
      capabilities === this.#capabilities &&
      options.modelSettings === undefined &&
      options.nativeTools === undefined;
    const givenId = runIdFor(options, history.messages);
    const brought = addsNothing
      ? this.#brought
      : collectContributions(agent, capabilities, options);
    checkLimits(options.usageLimits);
    const defaultToolTimeout = options.toolTimeout ?? delegation?.run.setup.defaultToolTimeout;
    return {
      agent: request.agent,
      model: request.model,
      // Checked by the types of `run`: what the agent's tools need is what it was given.
      deps: (override?.deps ?? options.deps) as never,
      prompt: request.prompt,
      modelHistory: history,
      messages,
      runId: givenId ?? environment.newId(),
      conversationId: conversationIdFor(options, history) ?? environment.newId(),
      toolset: this.#toolsetFor(options, override, capabilities),
      instructions: this.#instructionsFor(options, override, capabilities),
      systemPrompts: this.#systemPrompts,
      historyProcessors: brought.historyProcessors,
      outputPlan: this.#outputPlanFor(options),
      outputValidators: agent.outputValidators ?? [],
      endStrategy: agent.endStrategy ?? 'graceful',
      parallelMode: options.parallelMode ?? 'parallel',
      toolRetries: retriesFor('tools', options.retries, agent.retries),
      outputRetries: retriesFor('output', options.retries, agent.retries),
      toolTimeout: agent.toolTimeout ?? defaultToolTimeout,
      defaultToolTimeout,
      usage: options.usage ?? delegation?.ctx.usage ?? usageFor(options, agent, history),
      limits: delegation ? stricterLimits(limits, delegation.run.limits) : limits,
      settings: brought.settings,
      nativeTools: brought.nativeTools,
      metadata: options.metadata ?? agent.metadata,
      validationContext: options.validationContext ?? agent.validationContext,
      tracer: agent.tracer ?? delegation?.run.tracer ?? noopTracer,
      traceIncludeContent: agent.traceIncludeContent ?? false,
      environment,
      cancellation: request.cancellation,
      deferredToolResults: options.deferredToolResults,
      delegation,
      guarantees: this.#guarantees(request),
      capabilities,
      hooks: capabilities === this.#capabilities ? this.#hooks : commonHooks(capabilities),
      outerHandlers: inherited.chained,
      deferredToolHandler:
        options.deferredToolHandler ?? agent.deferredToolHandler ?? inherited.last,
      onPendingCalls: options.onPendingCalls ?? 'error',
      sink: request.sink,
      onToolCalls: options.onToolCalls ?? delegation?.run.setup.onToolCalls,
      streaming: request.streaming,
    };
  }

  /**
   * The agent's tools and toolsets with those of the run. Around them what capabilities do to tools,
   * then the search for hidden ones, and around everything the agent's policy.
   */
  #toolsetFor(
    options: AnyRunOptions,
    override: Override,
    capabilities: readonly Capability<never>[],
  ): Toolset<never> {
    const own = override?.tools
      ? new FunctionToolset<never>(override.tools, { label: 'the agent' })
      : this.#tools;
    const more = this.#toolsetsWith(options);
    let toolset: AbstractToolset<never> =
      more.length === 0 ? own : new CombinedToolset<never>([own, ...more]);
    for (const capability of capabilities) toolset = changedBy(capability, toolset);
    if (toolset !== own || own.mayHideTools) {
      const search = capabilities.findLast((capability) => capability.toolSearch !== undefined);
      toolset = new ToolSearchToolset<never>(toolset, search?.toolSearch);
    }
    const { approvalPolicy } = this.#options;
    return approvalPolicy === undefined ? toolset : toolset.approvalRequired(approvalPolicy);
  }

  #toolsetsWith({ capabilities, toolsets }: AnyRunOptions): readonly Toolset<never>[] {
    if (capabilities === undefined && toolsets === undefined) return this.#toolsets;
    return [
      ...this.#toolsets,
      ...(capabilities ?? []).flatMap(toolsetsOf),
      ...(toolsets ?? []).map(toToolset),
    ];
  }

  /** What is guaranteed about the calls of a run; a run that was handed its work keeps what holds for the other. */
  #guarantees({ options, delegation }: RunRequest): Guarantees {
    const agent = this.#options;
    const outer = delegation?.run.setup.guarantees;
    const ofRun = options.durability ?? {};
    const ofAgent = agent.durability ?? {};
    const lease = ofRun.lease ?? ofAgent.lease ?? outer?.lease ?? DEFAULT_LEASE;
    if (!(lease > 0)) {
      throw new UserError(`\`durability.lease\` is ${lease}. Pass more than 0 milliseconds.`);
    }
    const ledger = ofRun.ledger ?? ofAgent.ledger ?? outer?.ledger;
    const once = ofRun.atMostOnce ?? ofAgent.atMostOnce ?? outer?.once ?? 'opt-in';
    if (once === 'all-unsafe' && ledger === undefined) {
      throw new UserError(
        "`durability.atMostOnce` is `'all-unsafe'`, which requires a ledger. " +
          'Pass `durability.ledger` to the agent or the run.',
      );
    }
    return {
      ledger,
      lease,
      once,
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
    };
  }

  #outputPlanFor({ output }: AnyRunOptions): OutputPlan {
    if (output === undefined) return this.#outputPlan;
    const plan = planOutput(output);
    if (this.#options.outputValidators?.length && plan !== this.#outputPlan) {
      throw new UserError(
        "The agent has outputValidators, which know only its own output. Leave the run's output out, " +
          'or make another agent for it.',
      );
    }
    return plan;
  }

  #capabilitiesFor({ capabilities }: AnyRunOptions): readonly Capability<never>[] {
    if (capabilities === undefined || capabilities.length === 0) return this.#capabilities;
    const all = [...this.#capabilities, ...capabilities];
    checkCapabilities(all);
    return all;
  }

  #instructionsFor(
    options: AnyRunOptions,
    override: Override,
    capabilities: readonly Capability<never>[],
  ): readonly Instruction<never>[] {
    const own =
      override?.instructions === undefined
        ? this.#instructions
        : instructionList(override.instructions);
    if (options.instructions === undefined && capabilities.length === 0) return own;
    return [
      ...own,
      ...capabilities.flatMap(({ instructions }) => instructionList<never>(instructions)),
      ...instructionList(options.instructions),
    ];
  }
}

function toToolset(toolset: Toolset<never> | ToolsetFactory<never>): Toolset<never> {
  // A function among the toolsets makes one for each run.
  return typeof toolset === 'function'
    ? new DynamicToolset(toolset, { perRunStep: false })
    : toolset;
}

/** What a run counts in: nothing yet, or what the parked run had used that it goes on with. */
function usageFor(
  { durability, deferredToolResults }: AnyRunOptions,
  agent: AnyAgentOptions,
  history: HistoryCleaner,
): RunUsage {
  const usage = new RunUsage();
  const carriesUsage = durability?.carryUsage ?? agent.durability?.carryUsage ?? false;
  if (deferredToolResults === undefined || !carriesUsage) return usage;
  const spent = stepRecordOf(history.messages)?.usage;
  if (spent === undefined) {
    throw new UserError(
      'The history does not contain the usage of its run, so the run cannot continue counting. Set ' +
        '`durability.carryUsage` on runs that park as well, or pass `usage`.',
    );
  }
  usage.add(spent);
  return usage;
}

/** Returns the tools as a capability changes them. */
function changedBy(
  capability: Capability<never>,
  toolset: AbstractToolset<never>,
): AbstractToolset<never> {
  if (capability.changeTools === undefined) return toolset;
  const changed = capability.changeTools(toolset);
  // Without a result the change would be lost, and with it an approval that it demands.
  if (changed instanceof AbstractToolset) return changed;
  throw new UserError(
    `\`changeTools\` of capability \`${capability.name}\` returned ${showValue(changed)}. Return the toolset.`,
  );
}

function toolsetsOf({ name, tools, toolsets }: Capability<never>): Toolset<never>[] {
  const own = (toolsets ?? []).map(toToolset);
  if (tools === undefined) return own;
  return [new FunctionToolset<never>(tools, { label: `capability '${name}'` }), ...own];
}

/** The hooks of capabilities, if none of them makes its own for each run. */
function commonHooks(capabilities: readonly Capability<never>[]): HookSet | undefined {
  if (capabilities.length === 0) return NO_HOOKS;
  const isCommon = capabilities.every(({ forRun }) => forRun === undefined);
  return isCommon ? hookSet(capabilities.map((capability) => [capability])) : undefined;
}

function retriesFor(
  what: 'tools' | 'output',
  run: Retries | undefined,
  agent: Retries | undefined,
): number {
  const retries = ownRetries(what, run) ?? ownRetries(what, agent) ?? 1;
  if (Number.isInteger(retries) && retries >= 0) return retries;
  throw new UserError(`retries for ${what} is ${retries}; give a whole number from 0 on.`);
}

function ownRetries(what: 'tools' | 'output', retries: Retries | undefined): number | undefined {
  return typeof retries === 'number' ? retries : retries?.[what];
}

/** The id that a run was given; `undefined` if it needs a new one. */
export function runIdFor(
  { runId }: { readonly runId?: string | undefined },
  history: readonly Message[],
): string | undefined {
  if (runId === undefined) return undefined;
  if (runId === '') throw new UserError('runId is empty. Leave it out to get a new one.');
  if (history.some((message) => message.runId === runId)) {
    throw new UserError(
      `The history already has a run with the id '${runId}'. Leave runId out to get a new one.`,
    );
  }
  return runId;
}

/** The conversation that a run belongs to: the one that was asked for, else the history's; `undefined` for a new one. */
export function conversationIdFor(
  { conversationId }: { readonly conversationId?: string | undefined },
  history: Pick<HistoryCleaner, 'conversationId'>,
): string | undefined {
  if (conversationId === '') {
    throw new UserError("conversationId is empty. Leave it out, or give 'new' to get a new one.");
  }
  return conversationId === 'new' ? undefined : (conversationId ?? history.conversationId);
}
