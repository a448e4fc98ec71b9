import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { Message } from '../messages/message.ts';
import type { OutputDeclaration, OutputSpec } from '../output/output-spec.ts';
import type { ResumeOptions, RunOptions } from './agent-options.ts';
import type { RunIterator } from './run-iterator.ts';
import type { RunResultOf } from './run-handle.ts';
import type { RunStream } from './run-stream.ts';

/**
 * An agent as the parameter of a function: any agent with this output that needs these deps or fewer, with any tools.
 *
 * Include `DeferredToolRequests` in `Output` to accept agents whose runs may park. Callbacks in the
 * options of a run see `ctx.deps` as `unknown`, because the agent may expect other deps than yours.
 *
 * @example
 * async function ask(agent: AgentWith<string | DeferredToolRequests, Bank>, bank: Bank) {
 *   const result = await agent.run('Pay the invoice.', { deps: bank })
 *   return result.status === 'finished' ? result.output : 'An approver has to decide first.'
 * }
 */
export interface AgentWith<Output = string, Deps = unknown> {
  readonly name: string | undefined;
  /** Only for type inference. */
  readonly '~output'?: Output;
  /** Executes a run to its end. */
  run(
    prompt?: UserPrompt,
    ...options: OptionsWithDeps<RunOptions<unknown, OutputSpec>, Deps>
  ): Promise<RunResultOf<OutputSpecOf<Output>>>;
  /** Resumes a parked run. */
  resume(
    parked: { readonly messages: readonly Message[] },
    results: DeferredToolResults,
    ...options: OptionsWithDeps<ResumeOptions<unknown, OutputSpec>, Deps>
  ): Promise<RunResultOf<OutputSpecOf<Output>>>;
  /** Executes a run and streams its events. */
  stream(
    prompt?: UserPrompt,
    ...options: OptionsWithDeps<RunOptions<unknown, OutputSpec>, Deps>
  ): RunStreamOf<OutputSpecOf<Output>>;
  /** Executes a run step by step. */
  iter(
    prompt?: UserPrompt,
    ...options: OptionsWithDeps<RunOptions<unknown, OutputSpec>, Deps>
  ): RunIterator<RunResultOf<OutputSpecOf<Output>>>;
  /** Opens the agent's toolsets, so that they stay open across runs. */
  open(): Promise<AsyncDisposable>;
}

/** The arguments after the prompt: options are required exactly when there are deps. */
export type OptionsWithDeps<Options, Deps> = unknown extends Deps
  ? [options?: Omit<Options, 'output'> & { readonly deps?: Deps | undefined }]
  : [options: Omit<Options, 'output'> & { readonly deps: Deps }];

/** The public members of a stream: its private ones would only accept a stream of the same declaration. */
export type RunStreamOf<Spec extends OutputSpec> = Pick<RunStream<Spec>, keyof RunStream>;

/** A declaration with this output. */
export type OutputSpecOf<Output> = [Extract<Output, DeferredToolRequests>] extends [never]
  ? OutputDeclaration<Output>
  : readonly [
      OutputDeclaration<Exclude<Output, DeferredToolRequests>>,
      typeof DeferredToolRequests,
    ];
