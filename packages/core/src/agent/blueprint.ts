import type { Capability } from '../capabilities/capability.ts';
import type { Cancellation } from '../context/cancellation.ts';
import { liveEnvironment } from '../context/environment.ts';
import type { AgentInfo } from '../context/run-context.ts';
import { noopTracer } from '../context/tracer.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import { UserError } from '../errors/user-error.ts';
import type { EventSink } from '../loop/events.ts';
import { type Instruction, instructionList } from '../loop/instructions.ts';
import type { RunSetup } from '../loop/run.ts';
import type { UserPrompt } from '../messages/content.ts';
import { HistoryCleaner } from '../messages/history.ts';
import { openHistory } from '../messages/open-history.ts';
import { inferModel } from '../models/infer-model.ts';
import type { Model } from '../models/model.ts';
import { mergeSettings } from '../models/settings.ts';
import { type OutputPlan, planOutput } from '../output/output-plan.ts';
import type { OutputSpec } from '../output/output-spec.ts';
import type { AbstractToolset } from '../toolsets/abstract-toolset.ts';
import { CombinedToolset } from '../toolsets/combined-toolset.ts';
import { DynamicToolset, type ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';
import { ToolSearchToolset } from '../toolsets/tool-search/tool-search-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import { checkLimits } from '../usage/limits.ts';
import { RunUsage } from '../usage/run-usage.ts';
import type {
  AgentOptions,
  AnyTools,
  AnyToolsets,
  OverrideOptions,
  Retries,
  RunOptions,
} from './agent-options.ts';
import { conversationIdFor, runIdFor } from './run-ids.ts';

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
  readonly options: AnyRunOptions;
  readonly override: Override;
  readonly cancellation: Cancellation;
  /** Where the events go. */
  readonly sink: EventSink | undefined;
  /** Whether the model is asked to stream its answers. */
  readonly streaming: boolean;
}

/** An agent's options, checked and worked out as far as no run is needed for it. */
export class Blueprint {
  readonly #options: AnyAgentOptions;
  readonly #tools: FunctionToolset<never>;
  readonly #toolsets: readonly Toolset<never>[];
  readonly #outputPlan: OutputPlan;
  readonly #instructions: readonly Instruction<never>[];
  readonly #systemPrompts: readonly Instruction<never>[];
  /** The toolsets that can be held open across runs. */
  readonly lasting: CombinedToolset<never>;
  #model: Model | Promise<Model> | undefined;

  constructor(options: AnyAgentOptions) {
    this.#options = options;
    this.#tools = new FunctionToolset<never>(options.tools ?? [], { label: 'the agent' });
    this.#toolsets = (options.toolsets ?? []).map(checkedToolset);
    this.lasting = new CombinedToolset(this.#toolsets);
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

  /** The model of a run; a promise if it has to be loaded first. */
  modelFor(options: AnyRunOptions, override: Override): Model | Promise<Model> {
    const other = override?.model ?? options.model;
    if (other !== undefined) return inferModel(other);
    if (this.#model === undefined) {
      if (this.#options.model === undefined) {
        throw new UserError(
          "There is no model. Give one to the agent or to the run, such as openai('gpt-5').",
        );
      }
      this.#model = inferModel(this.#options.model);
      if (this.#model instanceof Promise) this.#keepWhenLoaded(this.#model);
    }
    return this.#model;
  }

  /** Everything that a run needs to know. */
  setupFor(request: RunRequest): RunSetup {
    const { options, override } = request;
    const agent = this.#options;
    const environment =
      override?.environment ?? options.environment ?? agent.environment ?? liveEnvironment;
    const history = options.messageHistory
      ? openHistory(options.messageHistory)
      : new HistoryCleaner();
    const capabilities = [...(agent.capabilities ?? []), ...(options.capabilities ?? [])];
    checkLimits(options.usageLimits);
    return {
      agent: request.agent,
      model: request.model,
      // Checked by the types of `run`: what the agent's tools need is what it was given.
      deps: (override?.deps ?? options.deps) as never,
      prompt: request.prompt,
      history,
      runId: runIdFor(options, history.messages) ?? environment.newId(),
      conversationId: conversationIdFor(options, history.messages) ?? environment.newId(),
      toolset: this.#toolsetFor(options, override, capabilities),
      instructions: this.#instructionsFor(options, override),
      systemPrompts: this.#systemPrompts,
      historyProcessors: agent.historyProcessors ?? [],
      outputPlan: this.#outputPlanFor(options),
      outputValidators: agent.outputValidators ?? [],
      endStrategy: agent.endStrategy ?? 'graceful',
      parallelMode: options.parallelMode ?? 'parallel',
      toolRetries: retriesFor('tools', options.retries, agent.retries),
      outputRetries: retriesFor('output', options.retries, agent.retries),
      toolTimeout: agent.toolTimeout,
      usage: options.usage ?? new RunUsage(),
      limits: options.usageLimits ?? agent.usageLimits,
      settings: mergeSettings(agent.modelSettings, options.modelSettings),
      metadata: options.metadata ?? agent.metadata,
      validationContext: options.validationContext ?? agent.validationContext,
      tracer: agent.tracer ?? noopTracer,
      traceIncludeContent: agent.traceIncludeContent ?? false,
      environment,
      cancellation: request.cancellation,
      deferredToolResults: options.deferredToolResults,
      chainedHandlers: handlersOf(capabilities),
      deferredToolHandler: options.deferredToolHandler ?? agent.deferredToolHandler,
      onOpenCalls: options.onOpenCalls ?? 'reject',
      sink: request.sink,
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
    const more = [...this.#toolsets, ...(options.toolsets ?? []).map(toToolset)];
    let toolset: AbstractToolset<never> =
      more.length === 0 ? own : new CombinedToolset<never>([own, ...more]);
    for (const { prepareTools } of capabilities) {
      if (prepareTools !== undefined) toolset = toolset.prepared(prepareTools);
    }
    if (toolset !== own || own.mayHideTools) {
      const search = capabilities.findLast((capability) => capability.toolSearch !== undefined);
      toolset = new ToolSearchToolset<never>(toolset, search?.toolSearch);
    }
    const { approvalPolicy } = this.#options;
    return approvalPolicy === undefined ? toolset : toolset.approvalRequired(approvalPolicy);
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

  #instructionsFor(options: AnyRunOptions, override: Override): readonly Instruction<never>[] {
    const own =
      override?.instructions === undefined
        ? this.#instructions
        : instructionList(override.instructions);
    return options.instructions === undefined
      ? own
      : [...own, ...instructionList(options.instructions)];
  }

  /** Remembers a model that had to be loaded; one that could not be is looked for again next time. */
  #keepWhenLoaded(loading: Promise<Model>): void {
    loading.then(
      (model) => {
        this.#model = model;
      },
      () => {
        this.#model = undefined;
      },
    );
  }
}

function checkedToolset(toolset: object): Toolset<never> {
  if (typeof toolset !== 'function' && !('getTools' in toolset)) {
    throw new UserError(
      'Something among the toolsets is neither a toolset nor a function that makes one.',
    );
  }
  return toToolset(toolset as Toolset<never> | ToolsetFactory<never>);
}

function toToolset(toolset: Toolset<never> | ToolsetFactory<never>): Toolset<never> {
  // A function among the toolsets makes one for each run.
  return typeof toolset === 'function'
    ? new DynamicToolset(toolset, { perRunStep: false })
    : toolset;
}

function handlersOf(capabilities: readonly Capability<never>[]): DeferredToolHandler<never>[] {
  return capabilities.flatMap(({ handleDeferredToolCalls }) => handleDeferredToolCalls ?? []);
}

function retriesFor(
  what: 'tools' | 'output',
  run: Retries | undefined,
  agent: Retries | undefined,
): number {
  for (const retries of [run, agent]) {
    const own = typeof retries === 'number' ? retries : retries?.[what];
    if (own === undefined) continue;
    if (Number.isInteger(own) && own >= 0) return own;
    throw new UserError(`retries for ${what} is ${own}; give a whole number from 0 on.`);
  }
  return 1;
}
