import { Cancellation } from '../context/cancellation.ts';
import { liveEnvironment } from '../context/environment.ts';
import type { AgentInfo } from '../context/run-context.ts';
import { noopTracer } from '../context/tracer.ts';
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
import type { OutputDepsOf, OutputOf, OutputSpec } from '../output/output-spec.ts';
import { FunctionToolset, type Tools as ToolsOf } from '../toolsets/function-toolset.ts';
import { RunUsage } from '../usage/run-usage.ts';
import type {
  AgentOptions,
  AnyTools,
  DepsOfAgent,
  OverrideOptions,
  Retries,
  RunArguments,
  RunOptions,
} from './agent-options.ts';
import { asyncScope } from './async-scope.ts';
import { offerMessages } from './capture-messages.ts';
import { RunHandle } from './run-handle.ts';
import { RunIterator } from './run-iterator.ts';
import type { RunResult } from './run-result.ts';
import { RunStream } from './run-stream.ts';

/** Options of a run as the inside sees them; the types of deps and output were checked outside. */
type AnyRunOptions = RunOptions<never, OutputSpec> & { readonly deps?: unknown };

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
  readonly #toolset: FunctionToolset<never>;
  readonly #outputPlan: OutputPlan;
  readonly #instructions: readonly Instruction<never>[];
  readonly #systemPrompts: readonly Instruction<never>[];
  readonly #overrides = asyncScope<OverrideOptions<never>>('agent.override');
  #model: Model | Promise<Model> | undefined;

  constructor(options: AgentOptions<Tools, Output, Own>) {
    this.name = options.name;
    this.#options = options;
    this.#toolset = new FunctionToolset<never>(options.tools ?? []);
    this.#outputPlan = planOutput(options.output ?? String);
    this.#instructions = instructionList<never>(options.instructions as Instructions<never>);
    this.#systemPrompts = instructionList<never>(options.systemPrompt as Instructions<never>);
    if (options.toolTimeout !== undefined && !(options.toolTimeout > 0)) {
      throw new UserError(`toolTimeout is ${options.toolTimeout}; give more than 0 milliseconds.`);
    }
  }

  /** Runs the agent to its end. */
  async run<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<DepsOfAgent<Tools, Output, Own> & OutputDepsOf<RunOutput>, RunOutput>
  ): Promise<RunResult<OutputOf<RunOutput>>> {
    const started = this.#start<OutputOf<RunOutput>>(prompt, options as AnyRunOptions);
    return (started instanceof Promise ? await started : started).finish();
  }

  /** Runs the agent and streams what happens. The run starts with the first event that is asked for. */
  stream<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<DepsOfAgent<Tools, Output, Own> & OutputDepsOf<RunOutput>, RunOutput>
  ): RunStream<OutputOf<RunOutput>> {
    return new RunStream((sink) => this.#start(prompt, options as AnyRunOptions, sink));
  }

  /** Runs the agent step by step. The run starts with the first step that is asked for. */
  iter<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<DepsOfAgent<Tools, Output, Own> & OutputDepsOf<RunOutput>, RunOutput>
  ): RunIterator<OutputOf<RunOutput>> {
    return new RunIterator(() => this.#start(prompt, options as AnyRunOptions));
  }

  /**
   * Does some work in which this agent has another model, other tools, deps or instructions.
   *
   * @example
   * await agent.override({ model: scriptedModel(says('Hello.')) }, () => handleRequest())
   */
  override<Result>(
    options: OverrideOptions<DepsOfAgent<Tools, Output, Own>>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    // The types above have checked the deps; inside nobody looks at them.
    const override = options as OverrideOptions<never>;
    return this.#overrides.run({ ...this.#overrides.get(), ...override }, work);
  }

  #start<Value>(
    prompt: UserPrompt | undefined,
    options: AnyRunOptions = {},
    sink?: EventSink,
  ): RunHandle<Value> | Promise<RunHandle<Value>> {
    const model = this.#resolveModel(options);
    return model instanceof Promise
      ? model.then((resolved) => this.#startWith<Value>(resolved, prompt, options, sink))
      : this.#startWith<Value>(model, prompt, options, sink);
  }

  #startWith<Value>(
    model: Model,
    prompt: UserPrompt | undefined,
    options: AnyRunOptions,
    sink: EventSink | undefined,
  ): RunHandle<Value> {
    const leave = this.#overrides.enter();
    const { cancellation, release } = listenTo(options.signal);
    try {
      const run = this.#makeRun(model, prompt, options, cancellation, sink);
      const forget = offerMessages(() => run.messages);
      return new RunHandle<Value>(run, () => {
        leave();
        forget();
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
    cancellation: Cancellation,
    sink: EventSink | undefined,
  ): Run {
    const agent = this.#options;
    const override = this.#overrides.get();
    const environment =
      options.environment ?? override?.environment ?? agent.environment ?? liveEnvironment;
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
        resolveConversationId(options.conversationId, history.messages) ?? environment.newId(),
      toolset: override?.tools
        ? new FunctionToolset(override.tools as ToolsOf<never>)
        : this.#toolset,
      instructions: this.#instructionsFor(options, override),
      systemPrompts: this.#systemPrompts,
      historyProcessors: (agent.historyProcessors ?? []) as readonly HistoryProcessor<never>[],
      outputPlan: options.output === undefined ? this.#outputPlan : planOutput(options.output),
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
      sink: sinkFor(sink, options.onEvent),
      streaming: sink !== undefined,
    });
  }

  #instructionsFor(
    options: AnyRunOptions,
    override: OverrideOptions<never> | undefined,
  ): readonly Instruction<never>[] {
    const own = override?.instructions
      ? instructionList(override.instructions)
      : this.#instructions;
    return options.instructions === undefined
      ? own
      : [...own, ...instructionList(options.instructions)];
  }

  #resolveModel(options: AnyRunOptions): Model | Promise<Model> {
    const other = this.#overrides.get()?.model ?? options.model;
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

function retriesFor(
  what: 'tools' | 'output',
  run: Retries | undefined,
  agent: Retries | undefined,
): number {
  for (const retries of [run, agent]) {
    const own = typeof retries === 'number' ? retries : retries?.[what];
    if (own !== undefined) return own;
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
    return streamed === undefined ? last : last.then(() => streamed);
  };
}
