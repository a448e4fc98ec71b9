/// <reference lib="esnext.disposable" preserve="true" />
import { Cancellation } from '../context/cancellation.ts';
import type { AgentInfo, ToolContext } from '../context/run-context.ts';
import { captureResults } from '../deferred/capture-results.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { cancellationOf, delegate, outerSink } from '../loop/delegation.ts';
import { type EventSink, addEventHandler, joinSinks } from '../events/run-events.ts';
import { Run } from '../loop/run.ts';
import type { RunDelegation } from '../loop/run-setup.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { Message } from '../messages/message.ts';
import { continueHistory } from '../messages/open-history.ts';
import { inferModel } from '../models/infer-model.ts';
import type { OutputDepsOf, OutputSpec } from '../output/output-spec.ts';
import type { DeepReadonly } from '../tools/deep-readonly.ts';
import type { InferOutput, StandardSchema } from '../tools/standard-schema.ts';
import { registerKnownTools } from '../tools/known-tools.ts';
import type { Tool } from '../tools/tool.ts';
import { closeToolset, openToolset } from '../toolsets/toolset.ts';
import type {
  AgentOptions,
  AnyTools,
  AnyToolsets,
  DepsOfAgent,
  OverrideOptions,
  PlainToolsets,
  ResumeArguments,
  RunArguments,
} from './agent-options.ts';
import {
  type AgentToolOptions,
  agentTool,
  type AnyAgentToolOptions,
  type PromptSchema,
} from './agent-tool.ts';
import {
  checkAgentOptions,
  checkAgentToolOptions,
  checkOverride,
  checkResume,
  checkRun,
  type RunMethod,
} from './check-agent-options.ts';
import { createAsyncContext } from '../internal/async-context.ts';
import {
  AgentConfig,
  type AnyAgentOptions,
  type AnyRunOptions,
  type Override,
  type ResumeRunOptions,
} from './config.ts';
import { registerCapturedRun } from './capture-messages.ts';
import { RunHandle, type RunResultOf } from './run-handle.ts';
import { RunIterator } from './run-iterator.ts';
import { RunStream } from './run-stream.ts';

type Started<RunOutput extends OutputSpec> = RunHandle<RunResultOf<RunOutput>>;

/**
 * A model with tools, instructions and an output type. One agent serves any number of concurrent runs.
 *
 * @example
 * const agent = new Agent({ model: openai('gpt-5'), tools: [readFile], instructions: 'Be brief.' })
 * const { output } = await agent.run('What is in README.md?')
 */
export class Agent<
  const Tools extends AnyTools = readonly [],
  const Output extends OutputSpec = StringConstructor,
  Own = unknown,
  const Toolsets extends AnyToolsets = PlainToolsets,
> implements AgentInfo
{
  readonly name: string | undefined;
  /** Only for type inference. */
  declare readonly '~output': RunResultOf<Output>['output'];
  readonly #config: AgentConfig;
  readonly #overrides = createAsyncContext<OverrideOptions<never>>('agent.override');

  constructor(options: AgentOptions<Tools, Output, Own, Toolsets>) {
    // The signatures of `run` and the other methods have the types of deps and output.
    const untyped = options as unknown as AnyAgentOptions;
    checkAgentOptions(untyped);
    this.name = options.name;
    this.#config = new AgentConfig(untyped);
    registerKnownTools(this, () => this.#config.knownTools());
  }

  /** Executes a run to its end. */
  run<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): Promise<RunResultOf<RunOutput>> {
    return this.#run<RunOutput>('run', prompt, options as AnyRunOptions);
  }

  /** Resumes a parked run. Short for `run` with its messages and the tool results. */
  async resume<const RunOutput extends OutputSpec = Output>(
    parked: { readonly messages: readonly Message[] },
    results: DeferredToolResults,
    ...[options]: ResumeArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): Promise<RunResultOf<RunOutput>> {
    // This signature has the types of the options.
    const given = options as ResumeRunOptions | undefined;
    checkResume(parked, given);
    const { prompt, ...rest } = given ?? {};
    const resumed = { ...rest, messageHistory: parked.messages, deferredToolResults: results };
    return await this.#run<RunOutput>('resume', prompt, resumed);
  }

  /** Executes a run and streams its events. The run starts when the first event is requested. */
  stream<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): RunStream<NoInfer<RunOutput>> {
    const override = this.#overrides.get();
    const captured = captureOptions(options as AnyRunOptions);
    return new RunStream((sink) =>
      this.#start(prompt, captured, { method: 'stream', override, sink }),
    );
  }

  /** Executes a run step by step. The run starts when the first step is requested. */
  iter<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...[options]: RunArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): RunIterator<RunResultOf<RunOutput>> {
    const override = this.#overrides.get();
    const captured = captureOptions(options as AnyRunOptions);
    return new RunIterator(() => this.#start(prompt, captured, { method: 'iter', override }));
  }

  /**
   * Returns a tool that runs this agent as a sub-agent. Its deferred calls are among the requests of the parent run, and
   * it parks and resumes with that run. It shares the usage and the limits of the parent run.
   *
   * The tool takes a prompt, unless it has an `inputSchema` and a `prompt` function. Without `deps`, the agent gets the
   * deps of the parent run.
   *
   * @example
   * const lead = new Agent({ model, tools: [researcher.asTool({ description: 'Looks things up.' })] })
   */
  asTool<
    ToolDeps = unknown,
    Schema extends StandardSchema = PromptSchema,
    ApprovalDeps = unknown,
    ValidatorDeps = unknown,
    PrepareDeps = unknown,
    PreviewDeps = unknown,
    DepsDeps = unknown,
  >(
    options: AgentToolOptions<
      ToolDeps,
      Schema,
      ApprovalDeps,
      ValidatorDeps,
      PrepareDeps,
      PreviewDeps
    > & {
      /** Returns the deps of the agent, from the context of the call. */
      readonly deps: (
        ctx: ToolContext<DepsDeps>,
      ) =>
        | DepsOfAgent<Tools, Output, Own, Toolsets>
        | Promise<DepsOfAgent<Tools, Output, Own, Toolsets>>;
    },
  ): Tool<
    NoInfer<ToolDeps & ApprovalDeps & ValidatorDeps & PrepareDeps & PreviewDeps & DepsDeps>,
    DeepReadonly<InferOutput<Schema>>
  >;
  asTool<
    ToolDeps = unknown,
    Schema extends StandardSchema = PromptSchema,
    ApprovalDeps = unknown,
    ValidatorDeps = unknown,
    PrepareDeps = unknown,
    PreviewDeps = unknown,
  >(
    options?: AgentToolOptions<
      ToolDeps,
      Schema,
      ApprovalDeps,
      ValidatorDeps,
      PrepareDeps,
      PreviewDeps
    >,
  ): Tool<
    NoInfer<ToolDeps & ApprovalDeps & ValidatorDeps & PrepareDeps & PreviewDeps> &
      DepsOfAgent<Tools, Output, Own, Toolsets>,
    DeepReadonly<InferOutput<Schema>>
  >;
  asTool(options: AnyAgentToolOptions = {}): Tool<never> {
    checkAgentToolOptions(this.name, options);
    const tool = agentTool(
      this.name,
      options,
      (prompt, runOptions, ctx) =>
        this.#run<OutputSpec>('run', prompt, runOptions, delegate(ctx, true)),
      (toolName) => this.#config.executorOf(toolName),
    );
    registerKnownTools(tool, () => this.#config.knownTools());
    return tool;
  }

  /**
   * Opens the agent's toolsets, so that they stay open across runs. Dispose of the returned object to close them. Without
   * `open`, each run opens and closes them.
   *
   * @example
   * await using opened = await agent.open()
   */
  async open(): Promise<AsyncDisposable> {
    await openToolset(this.#config.sharedToolsets);
    let isOpen = true;
    return {
      [Symbol.asyncDispose]: async () => {
        if (!isOpen) return;
        isOpen = false;
        await closeToolset(this.#config.sharedToolsets);
      },
    };
  }

  /**
   * Executes `work` while this agent has another model, other tools, deps or instructions.
   *
   * @example
   * await agent.override({ model: scriptedModel(says('Hello.')) }, () => handleRequest())
   */
  async override<Result>(
    options: OverrideOptions<DepsOfAgent<Tools, Output, Own, Toolsets>>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    checkOverride(options, work);
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    // This signature has the type of the deps.
    const override = { ...this.#overrides.get(), ...Object.fromEntries(given) };
    return this.#overrides.run(override as OverrideOptions<never>, work);
  }

  async #run<RunOutput extends OutputSpec>(
    method: RunMethod,
    prompt: UserPrompt | undefined,
    options: AnyRunOptions | undefined,
    delegation?: RunDelegation,
  ): Promise<RunResultOf<RunOutput>> {
    const override = this.#overrides.get();
    const captured = captureOptions(options);
    const run = await this.#start<RunOutput>(prompt, captured, { method, override, delegation });
    return await run.finish();
  }

  async #start<RunOutput extends OutputSpec>(
    prompt: UserPrompt | undefined,
    given: AnyRunOptions | undefined,
    { method, override, sink, delegation: delegating }: StartOptions,
  ): Promise<Started<RunOutput>> {
    // `resume` has checked its own options.
    if (method !== 'resume') checkRun(method, prompt, given);
    const options = given ?? {};
    const { parent, signal, onEvent } = options;
    const delegation = delegating ?? (parent && delegate(parent, false));
    // Read before the first `await`, because the caller may change its list of messages afterwards.
    const history = continueHistory(options.messageHistory);
    const other = override?.model ?? options.model;
    const model =
      other === undefined
        ? (this.#config.model ?? (await this.#config.loadModel()))
        : await inferModel(other);
    const leave = this.#overrides.enter();
    const cancellation = new Cancellation(delegation && cancellationOf(delegation));
    const stopListening = signal && listenTo(signal, cancellation);
    const onEnd = () => {
      leave?.();
      stopListening?.();
    };
    const outer = delegation && outerSink(delegation);
    const observer = outer === undefined ? sink : joinSinks(sink, outer);
    const outerSetup = outer === undefined ? undefined : delegation?.run.setup;
    try {
      const run = new Run(
        this.#config.setupFor({
          agent: this,
          model,
          prompt,
          history,
          options,
          override,
          cancellation,
          delegation,
          sink:
            onEvent === undefined
              ? observer
              : addEventHandler(observer, (event) => cancellation.guard(onEvent(event))),
          streaming: sink !== undefined || (outerSetup?.isStreaming ?? false),
        }),
      );
      registerCapturedRun(run);
      return new RunHandle<RunResultOf<RunOutput>>(run, onEnd);
    } catch (error) {
      cancellation.release();
      onEnd();
      throw error;
    }
  }
}

/** The origin of a run. */
interface StartOptions {
  /** The method that starts the run, for errors. */
  readonly method: RunMethod;
  readonly override: Override;
  /** Receives the events of a streamed run. */
  readonly sink?: EventSink | undefined;
  readonly delegation?: RunDelegation | undefined;
}

/** Copies the decisions and results at the call, so that the run ignores later changes of the caller. */
function captureOptions(options: AnyRunOptions | undefined): AnyRunOptions | undefined {
  if (!options?.deferredToolResults) return options;
  return { ...options, deferredToolResults: captureResults(options.deferredToolResults) };
}

/** Cancels a run when the caller's signal aborts. Returns a function that removes the listener. */
function listenTo(signal: AbortSignal, cancellation: Cancellation): () => void {
  const listener = () => cancellation.cancel(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}
