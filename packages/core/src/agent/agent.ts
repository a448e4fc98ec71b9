import type { Capability } from '../capabilities/capability.ts';
import { Cancellation } from '../context/cancellation.ts';
import { liveEnvironment } from '../context/environment.ts';
import type { AgentInfo } from '../context/run-context.ts';
import { noopTracer } from '../context/tracer.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { UserError } from '../errors/user-error.ts';
import type { OutputValidator } from '../execution/process-output.ts';
import type { EventSink } from '../loop/events.ts';
import type { HistoryProcessor } from '../loop/history-processor.ts';
import { type Instruction, type Instructions, instructionList } from '../loop/instructions.ts';
import { Run } from '../loop/run.ts';
import type { UserPrompt } from '../messages/content.ts';
import { HistoryCleaner, resolveConversationId } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import { openHistory } from '../messages/open-history.ts';
import { inferModel } from '../models/infer-model.ts';
import type { Model } from '../models/model.ts';
import { mergeSettings } from '../models/settings.ts';
import { type OutputPlan, planOutput } from '../output/output-plan.ts';
import type { OutputDepsOf, OutputSpec } from '../output/output-spec.ts';
import {
  type ApprovalPolicy,
  ApprovalRequiredToolset,
} from '../toolsets/approval-required-toolset.ts';
import { CombinedToolset } from '../toolsets/combined-toolset.ts';
import { DynamicToolset, type ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import { checkLimits } from '../usage/limits.ts';
import { RunUsage } from '../usage/run-usage.ts';
import type {
  AgentOptions,
  AnyTools,
  DepsOfAgent,
  OverrideOptions,
  ResumeArguments,
  Retries,
  RunArguments,
  RunOptions,
} from './agent-options.ts';
import { asyncScope } from './async-scope.ts';
import { offerMessages } from './capture-messages.ts';
import { RunHandle } from './run-handle.ts';
import { RunIterator } from './run-iterator.ts';
import type { RunResultOf } from './run-result.ts';
import { RunStream } from './run-stream.ts';

/** Options of a run as the inside sees them; the types of deps and output were checked outside. */
type AnyRunOptions = RunOptions<never, OutputSpec> & { readonly deps?: unknown };

type Override = OverrideOptions<never> | undefined;
type Started<RunOutput extends OutputSpec> = RunHandle<RunResultOf<RunOutput>>;

/**
 * A model with tools, instructions and a kind of output. One agent serves any number of runs, also
 * at the same time.
 *
 * @example
 * const agent = new Agent({ model: openai('gpt-5'), tools: [readFile], instructions: 'Be brief.' })
 * const { output } = await agent.run('What is in README.md?')
 */
export class Agent<
  const Tools extends AnyTools = readonly [],
  const Output extends OutputSpec = StringConstructor,
  Own = unknown,
> implements AgentInfo
{
  readonly name: string | undefined;
  readonly #options: AgentOptions<Tools, Output, Own>;
  readonly #tools: FunctionToolset<never>;
  readonly #outputPlan: OutputPlan;
  readonly #instructions: readonly Instruction<never>[];
  readonly #systemPrompts: readonly Instruction<never>[];
  readonly #overrides = asyncScope<OverrideOptions<never>>('agent.override');
  #model: Model | Promise<Model> | undefined;

  constructor(options: AgentOptions<Tools, Output, Own>) {
    this.name = options.name;
    this.#options = options;
    this.#tools = new FunctionToolset<never>(options.tools ?? []);
    this.#outputPlan = planOutput(options.output ?? String);
    this.#instructions = instructionList<never>(options.instructions as Instructions<never>);
    this.#systemPrompts = instructionList<never>(options.systemPrompt as Instructions<never>);
    retriesFor('tools', undefined, options.retries);
    retriesFor('output', undefined, options.retries);
    checkLimits(options.usageLimits);
    if (options.toolTimeout !== undefined && !(options.toolTimeout > 0)) {
      throw new UserError(`toolTimeout is ${options.toolTimeout}; give more than 0 milliseconds.`);
    }
  }

  /** Runs the agent to its end. */
  run<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<DepsOfAgent<Tools, Output, Own> & OutputDepsOf<RunOutput>, RunOutput>
  ): Promise<RunResultOf<RunOutput>> {
    return this.#runWith<RunOutput>(prompt, options as AnyRunOptions);
  }

  /** Goes on with a parked run: short for `run` with its messages and the answers. */
  resume<const RunOutput extends OutputSpec = Output>(
    parked: { readonly messages: readonly Message[] },
    results: DeferredToolResults,
    ...[options]: ResumeArguments<
      DepsOfAgent<Tools, Output, Own> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): Promise<RunResultOf<RunOutput>> {
    // The types of the options were checked by this signature.
    const { prompt, ...rest } = (options ?? {}) as AnyRunOptions & { prompt?: UserPrompt };
    const resumed = { ...rest, messageHistory: parked.messages, deferredToolResults: results };
    return this.#runWith<RunOutput>(prompt, resumed);
  }

  /** Runs the agent and streams what happens. The run starts with the first event that is asked for. */
  stream<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<DepsOfAgent<Tools, Output, Own> & OutputDepsOf<RunOutput>, RunOutput>
  ): RunStream<NoInfer<RunOutput>> {
    const override = this.#overrides.get();
    return new RunStream((sink) => this.#start(prompt, options as AnyRunOptions, override, sink));
  }

  /** Runs the agent step by step. The run starts with the first step that is asked for. */
  iter<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<DepsOfAgent<Tools, Output, Own> & OutputDepsOf<RunOutput>, RunOutput>
  ): RunIterator<RunResultOf<RunOutput>> {
    const override = this.#overrides.get();
    return new RunIterator(() => this.#start(prompt, options as AnyRunOptions, override));
  }

  /**
   * Does some work in which this agent has another model, other tools, deps or instructions.
   *
   * @example
   * await agent.override({ model: scriptedModel(says('Hello.')) }, () => handleRequest())
   */
  async override<Result>(
    options: OverrideOptions<DepsOfAgent<Tools, Output, Own>>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const said = Object.entries(options).filter(([, value]) => value !== undefined);
    // The types above have checked the deps; inside nobody looks at them.
    const override = { ...this.#overrides.get(), ...Object.fromEntries(said) };
    return this.#overrides.run(override as OverrideOptions<never>, work);
  }

  async #runWith<RunOutput extends OutputSpec>(
    prompt: UserPrompt | undefined,
    options: AnyRunOptions | undefined,
  ): Promise<RunResultOf<RunOutput>> {
    const started = this.#start<RunOutput>(prompt, options, this.#overrides.get());
    return (started instanceof Promise ? await started : started).finish();
  }

  #start<RunOutput extends OutputSpec>(
    prompt: UserPrompt | undefined,
    options: AnyRunOptions = {},
    override: Override,
    sink?: EventSink,
  ): Started<RunOutput> | Promise<Started<RunOutput>> {
    const model = this.#resolveModel(options, override);
    return model instanceof Promise
      ? model.then((resolved) =>
          this.#startWith<RunOutput>(resolved, prompt, options, override, sink),
        )
      : this.#startWith<RunOutput>(model, prompt, options, override, sink);
  }

  #startWith<RunOutput extends OutputSpec>(
    model: Model,
    prompt: UserPrompt | undefined,
    options: AnyRunOptions,
    override: Override,
    sink: EventSink | undefined,
  ): Started<RunOutput> {
    const leave = this.#overrides.enter();
    const { cancellation, release } = listenTo(options.signal);
    try {
      checkLimits(options.usageLimits ?? this.#options.usageLimits);
      const run = this.#makeRun(model, prompt, options, override, cancellation, sink);
      offerMessages(() => run.messages);
      return new RunHandle<RunResultOf<RunOutput>>(run, () => {
        leave();
        release();
      });
    } catch (error) {
      leave();
      release();
      throw error;
    }
  }

  #makeRun(
    model: Model,
    prompt: UserPrompt | undefined,
    options: AnyRunOptions,
    override: Override,
    cancellation: Cancellation,
    sink: EventSink | undefined,
  ): Run {
    const agent = this.#options;
    const environment =
      override?.environment ?? options.environment ?? agent.environment ?? liveEnvironment;
    const history = options.messageHistory
      ? openHistory(options.messageHistory)
      : new HistoryCleaner();
    return new Run({
      agent: this,
      model,
      // Checked by the types of `run`: what the agent's tools need is what it was given.
      deps: (override?.deps ?? options.deps) as never,
      prompt,
      history,
      runId: checkedRunId(options.runId, history.messages) ?? environment.newId(),
      conversationId:
        resolveConversationId(checkedConversationId(options), history.messages) ??
        environment.newId(),
      toolset: this.#toolsetFor(options, override),
      instructions: this.#instructionsFor(options, override),
      systemPrompts: this.#systemPrompts,
      historyProcessors: (agent.historyProcessors ?? []) as readonly HistoryProcessor<never>[],
      outputPlan: this.#outputPlanFor(options),
      outputValidators: (agent.outputValidators ?? []) as readonly OutputValidator<
        never,
        unknown
      >[],
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
      cancellation,
      deferredToolResults: options.deferredToolResults,
      chainedHandlers: handlersOf([...(agent.capabilities ?? []), ...(options.capabilities ?? [])]),
      deferredToolHandler: (options.deferredToolHandler ??
        agent.deferredToolHandler) as DeferredToolHandler<never>,
      onOpenCalls: options.onOpenCalls ?? 'reject',
      sink: sinkFor(sink, options.onEvent),
      streaming: sink !== undefined,
    });
  }

  /** The agent's tools and toolsets, with those of the run; the agent's policy lies around all of them. */
  #toolsetFor(
    options: AnyRunOptions,
    override: OverrideOptions<never> | undefined,
  ): Toolset<never> {
    const own = override?.tools ? new FunctionToolset<never>(override.tools) : this.#tools;
    const { toolsets = [], approvalPolicy } = this.#options;
    const all = [...toolsets, ...(options.toolsets ?? [])] as readonly (
      | Toolset<never>
      | ToolsetFactory<never>
    )[];
    const toolset =
      all.length === 0
        ? own
        : new CombinedToolset<never>([
            own,
            ...all.map((one) => (typeof one === 'function' ? new DynamicToolset(one) : one)),
          ]);
    return approvalPolicy === undefined
      ? toolset
      : new ApprovalRequiredToolset(toolset, approvalPolicy as ApprovalPolicy<never>);
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

  #resolveModel(options: AnyRunOptions, override: Override): Model | Promise<Model> {
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

/** What cancels a run, fed by the caller's signal. One listener for each run, removed at its end. */
function listenTo(signal: AbortSignal | undefined): {
  cancellation: Cancellation;
  release: () => void;
} {
  const cancellation = new Cancellation();
  if (signal === undefined) return { cancellation, release: () => {} };
  const listener = () => cancellation.cancel(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener);
  return { cancellation, release: () => signal.removeEventListener('abort', listener) };
}

function handlersOf(capabilities: readonly Capability<never>[]): DeferredToolHandler<never>[] {
  return capabilities.flatMap(({ handleDeferredToolCalls }) => handleDeferredToolCalls ?? []);
}

function checkedRunId(runId: string | undefined, history: readonly Message[]): string | undefined {
  if (runId === undefined) return undefined;
  if (runId === '') throw new UserError('runId is empty. Leave it out to get a new one.');
  if (history.some((message) => message.runId === runId)) {
    throw new UserError(
      `The history already has a run with the id '${runId}'. Leave runId out to get a new one.`,
    );
  }
  return runId;
}

function checkedConversationId({ conversationId }: AnyRunOptions): string | undefined {
  if (conversationId !== '') return conversationId;
  throw new UserError("conversationId is empty. Leave it out, or give 'new' to get a new one.");
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

function sinkFor(
  sink: EventSink | undefined,
  onEvent: RunOptions<never, OutputSpec>['onEvent'],
): EventSink | undefined {
  if (onEvent === undefined) return sink;
  let last: Promise<void> = Promise.resolve();
  return (event) => {
    // One event at a time, in order; an error of the handler reaches whoever waits for it.
    last = last.then(() => onEvent(event));
    last.catch(() => {});
    const streamed = sink?.(event);
    if (streamed === undefined) return last;
    const both = last.then(() => streamed);
    both.catch(() => {});
    return both;
  };
}
