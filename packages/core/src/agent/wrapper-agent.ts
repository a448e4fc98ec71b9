import type { DeferredToolResults } from '../deferred/results.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { Message } from '../messages/message.ts';
import type { OutputDepsOf, OutputSpec } from '../output/output-spec.ts';
import { knownToolsOf, registerKnownTools } from '../tools/known-tools.ts';
import type { Agent } from './agent.ts';
import type {
  AnyTools,
  AnyToolsets,
  DepsOfAgent,
  OverrideOptions,
  PlainToolsets,
  ResumeArguments,
  RunArguments,
} from './agent-options.ts';
import type { RunIterator } from './run-iterator.ts';
import type { RunResultOf } from './run-handle.ts';
import type { RunStream } from './run-stream.ts';

/** The members of an agent that start runs. */
export type AgentLike<
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets = PlainToolsets,
> = Pick<
  Agent<Tools, Output, Own, Toolsets>,
  '~output' | 'name' | 'run' | 'resume' | 'stream' | 'iter' | 'override' | 'asTool' | 'open'
>;

/** An agent that forwards every call to another agent. Extend it to change a method. */
export class WrapperAgent<
  const Tools extends AnyTools = readonly [],
  const Output extends OutputSpec = StringConstructor,
  Own = unknown,
  const Toolsets extends AnyToolsets = PlainToolsets,
> implements AgentLike<Tools, Output, Own, Toolsets>
{
  readonly wrapped: AgentLike<Tools, Output, Own, Toolsets>;
  /** Only for type inference. */
  declare readonly '~output': RunResultOf<Output>['output'];

  // The union only helps inference: TypeScript cannot infer an output from the members of an agent.
  constructor(
    wrapped:
      | Agent<Tools, Output, Own, Toolsets>
      | WrapperAgent<Tools, Output, Own, Toolsets>
      | AgentLike<Tools, Output, Own, Toolsets>,
  ) {
    this.wrapped = wrapped;
    registerKnownTools(this, () => knownToolsOf(wrapped));
  }

  get name(): string | undefined {
    return this.wrapped.name;
  }

  run<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...options: RunArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): Promise<RunResultOf<RunOutput>> {
    return this.wrapped.run<RunOutput>(prompt, ...options);
  }

  resume<const RunOutput extends OutputSpec = Output>(
    parked: { readonly messages: readonly Message[] },
    results: DeferredToolResults,
    ...options: ResumeArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): Promise<RunResultOf<RunOutput>> {
    return this.wrapped.resume<RunOutput>(parked, results, ...options);
  }

  stream<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...options: RunArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): RunStream<NoInfer<RunOutput>> {
    return this.wrapped.stream<RunOutput>(prompt, ...options);
  }

  iter<const RunOutput extends OutputSpec = Output>(
    prompt?: UserPrompt,
    ...options: RunArguments<
      DepsOfAgent<Tools, Output, Own, Toolsets> & OutputDepsOf<RunOutput>,
      RunOutput
    >
  ): RunIterator<RunResultOf<RunOutput>> {
    return this.wrapped.iter<RunOutput>(prompt, ...options);
  }

  /** Returns a tool that runs the agent as a sub-agent. */
  get asTool(): Agent<Tools, Output, Own, Toolsets>['asTool'] {
    return this.wrapped.asTool.bind(this.wrapped);
  }

  /** Opens the agent's toolsets, so that they stay open across runs. */
  open(): Promise<AsyncDisposable> {
    return this.wrapped.open();
  }

  override<Result>(
    options: OverrideOptions<DepsOfAgent<Tools, Output, Own, Toolsets>>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.wrapped.override(options, work);
  }
}
