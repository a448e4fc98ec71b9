import type { Capability } from '../capabilities/capability.ts';
import type { Environment } from '../context/environment.ts';
import type { NativeToolSource } from '../context/native-tool-source.ts';
import type { RunContext } from '../context/run-context.ts';
import type { Tracer } from '../context/tracer.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { OutputValidator } from '../execution/process-output.ts';
import type { VerifyApproval } from '../gate/approval.ts';
import type { ParallelMode } from '../execution/scope.ts';
import type { StepEvent } from '../events/run-events.ts';
import type { HistoryProcessor } from '../capabilities/history-processor.ts';
import type { Instructions } from '../context/instructions.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type {
  EndStrategy,
  AtMostOnce,
  OnPendingCalls,
  OnAlreadyResumed,
  OnToolCalls,
} from '../loop/run-setup.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { JsonObject } from '../internal/json.ts';
import type { Message } from '../messages/message.ts';
import type { ModelLike } from '../models/infer-model.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { OutputDepsOf, OutputOf, OutputSpec } from '../output/output-spec.ts';
import type { Tool } from '../tools/tool.ts';
import type { ApprovalPolicy } from '../toolsets/transforms.ts';
import type { ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import type { UsageLimits } from '../usage/limits.ts';
import type { RunUsage } from '../usage/run-usage.ts';

/** A tool, whatever it needs and takes. */
export type AnyTool = Tool<never, unknown>;

/** Tools as a list, or as a record whose keys are the names. */
export type AnyTools = readonly AnyTool[] | Readonly<Record<string, AnyTool>>;

/** What tools need of the application, all of it together. */
export type DepsOfTools<Tools> = [ItemOf<Tools>] extends [never]
  ? unknown
  : DepsConsumerOfTool<ItemOf<Tools>> extends (deps: infer Deps) => void
    ? Deps
    : never;

/** The type of one item of a list or record of tools or toolsets. */
export type ItemOf<Tools> = Tools extends readonly (infer One)[] ? One : Tools[keyof Tools];

/** A function that takes the deps of a tool. For a union of tools, it infers the intersection of their deps. */
export type DepsConsumerOfTool<One> =
  One extends Tool<infer Deps, unknown> ? (deps: Deps) => void : never;

/**
 * Toolsets, and functions that make one for each run.
 *
 * As wide as an object, so that a toolset that is written in the list says itself what it needs. What
 * is no toolset is refused when the agent is made.
 */
export type AnyToolsets = readonly (ToolsetFactory | object)[];

/** Toolsets that need nothing of the application. */
export type PlainToolsets = readonly (Toolset | ToolsetFactory)[];

/** What toolsets need of the application, all of it together. */
export type DepsOfToolsets<Toolsets> = [ItemOf<Toolsets>] extends [never]
  ? unknown
  : DepsConsumerOfToolset<ItemOf<Toolsets>> extends (deps: infer Deps) => void
    ? Deps
    : never;

/** A function that takes the deps of a toolset or of a toolset factory. */
export type DepsConsumerOfToolset<One> = One extends (ctx: RunContext<infer Deps>) => unknown
  ? (deps: Deps) => void
  : One extends Toolset<infer Deps>
    ? (deps: Deps) => void
    : never;

/** What an agent needs of the application: what its tools, toolsets, outputs and it itself need. */
export type DepsOfAgent<Tools, Output, Own, Toolsets = readonly []> = DepsOfTools<Tools> &
  DepsOfToolsets<Toolsets> &
  OutputDepsOf<Output> &
  Own;

/** How often the model may try again: a number for both, or one each for tools and output. */
export type Retries =
  | number
  | { readonly tools?: number | undefined; readonly output?: number | undefined };

/**
 * Options for runs that outlive a process: which calls execute at most once, and how a resume treats work
 * that another process started or finished. A value of the run takes precedence over the value of its agent.
 */
export interface DurabilityOptions {
  /** Records which calls executed, so that none executes twice. All processes that resume runs share it. */
  readonly ledger?: Ledger | undefined;
  /** Milliseconds for which a claim in the ledger holds without a heartbeat; 60,000 by default. */
  readonly lease?: number | undefined;
  /**
   * Calls that execute at most once although they need no approval. `opt-in` (the default): calls of tools
   * marked `once`. `all-unsafe`: calls of all tools that are marked neither `readOnly` nor `idempotent`;
   * requires a ledger. Applies to sub-agents too.
   */
  readonly atMostOnce?: AtMostOnce | undefined;
  /** A call that another process is executing: `error` (the default), or `wait` for its outcome. */
  readonly onBusy?: 'error' | 'wait' | undefined;
  /**
   * A second resume of the same parked run, with a ledger: `error` (the default) rejects it, `replay`
   * continues with the recorded results.
   */
  readonly onAlreadyResumed?: OnAlreadyResumed | undefined;
  /** An approved call whose tool or preview changed since the approval: `ask` again (the default) or `deny`. */
  readonly onDrift?: 'ask' | 'deny' | undefined;
  /** Gives pending calls a digest that decisions can carry. With a ledger they always have one. */
  readonly digests?: boolean | undefined;
  /** Stores the usage of a run when it parks, and continues counting from it when the run resumes. */
  readonly carryUsage?: boolean | undefined;
}

/** Options about durability and approvals, which an agent and a run share. */
export interface SharedOptions {
  /** Guarantees across processes: the ledger and the rules that depend on it. */
  readonly durability?: DurabilityOptions | undefined;
  /**
   * Verifies an approved call immediately before it executes; `false` requests it again. A function of the
   * agent, of the run and of the run that delegates to it must all accept the call.
   */
  readonly verifyApproval?: VerifyApproval | undefined;
  /** Tells the model with which arguments a call executed if an approver edited them. */
  readonly reportEditedArgs?: boolean | undefined;
}

/** What an agent is made from. */
export interface AgentOptions<
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets = AnyToolsets,
> extends SharedOptions {
  /** For traces and for people. */
  readonly name?: string | undefined;
  /** An AI SDK language model, a `Model`, or a text such as `'openai:gpt-5'`. */
  readonly model?: ModelLike | undefined;
  readonly tools?: Tools | undefined;
  /** What a run may end with; text unless said otherwise. */
  readonly output?: Output | undefined;
  /** Told to the model with every request, and not kept for later runs. */
  readonly instructions?: Instructions<Own> | undefined;
  /** Told to the model at the beginning of a conversation, and kept in its history. */
  readonly systemPrompt?: Instructions<Own> | undefined;
  /** Look at the output last; each may change it or send it back. */
  readonly outputValidators?: readonly OutputValidator<Own, OutputOf<Output>>[] | undefined;
  /** Change the history before each request. */
  readonly historyProcessors?: readonly HistoryProcessor<Own>[] | undefined;
  /** What happens to tool calls beside an output; `graceful` unless said otherwise. */
  readonly endStrategy?: EndStrategy | undefined;
  /** 1 for tools and 1 for the output unless said otherwise. */
  readonly retries?: Retries | undefined;
  /** How long a tool may take, in milliseconds, where it does not say so itself. */
  readonly toolTimeout?: number | undefined;
  readonly modelSettings?: ModelSettings | undefined;
  readonly usageLimits?: UsageLimits | undefined;
  /** For the application: `ctx.metadata`. */
  readonly metadata?: JsonObject | undefined;
  /** For validators: `ctx.validationContext`. */
  readonly validationContext?: unknown;
  readonly tracer?: Tracer | undefined;
  /** Whether traces may hold what was said; not unless said otherwise. */
  readonly traceIncludeContent?: boolean | undefined;
  readonly environment?: Environment | undefined;
  /** Toolsets, and functions that make one for each run. */
  readonly toolsets?: Toolsets | undefined;
  /** Tools that the provider runs itself, such as its web search. */
  readonly nativeTools?: readonly NativeToolSource<Own>[] | undefined;
  /** Answers deferred calls while a run waits; it must answer all that it is asked. */
  readonly deferredToolHandler?: DeferredToolHandler<Own> | undefined;
  /** Bundles of behaviour. */
  readonly capabilities?: readonly Capability<Own>[] | undefined;
  /**
   * Has calls approved beside those whose tools ask for it themselves: it can only make things
   * stricter.
   */
  readonly approvalPolicy?: ApprovalPolicy<Own> | undefined;
}

/** Options of one run. */
export interface RunOptions<Deps, Output extends OutputSpec> extends SharedOptions {
  readonly model?: ModelLike | undefined;
  /** The conversation so far: `result.messages` of an earlier run, or what `messageCodec.parse` gave. */
  readonly messageHistory?: readonly Message[] | undefined;
  /** What this run may end with, instead of what the agent says. */
  readonly output?: Output | undefined;
  /** Told to the model beside the agent's instructions. */
  readonly instructions?: Instructions<Deps> | undefined;
  readonly retries?: Retries | undefined;
  /** How the tool calls of one response run; in parallel unless said otherwise. */
  readonly parallelMode?: ParallelMode | undefined;
  /** Merged over the settings of the agent. */
  readonly modelSettings?: ModelSettings | undefined;
  /** Counts on; hand over `ctx.usage` to count in another run's. */
  readonly usage?: RunUsage | undefined;
  readonly usageLimits?: UsageLimits | undefined;
  /**
   * How long a tool may take, in milliseconds, if neither the tool nor its agent sets a time. Sub-agents
   * inherit it.
   */
  readonly toolTimeout?: number | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly validationContext?: unknown;
  /** Stops the run: it fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The context of the call or hook that hands this run its work. The run counts in the same usage,
   * within the same limits, ends with the call, may ask the same handlers, and its toolsets are asked
   * `forSubAgent`. It cannot park: use `asTool` for an agent whose calls may have to wait.
   */
  readonly parent?: RunContext | undefined;
  readonly runId?: string | undefined;
  /** The conversation this run belongs to; that of the history unless given, `'new'` for a fork. */
  readonly conversationId?: string | undefined;
  readonly environment?: Environment | undefined;
  /** Further toolsets for this run. */
  readonly toolsets?: readonly (Toolset<Deps> | ToolsetFactory<Deps>)[] | undefined;
  /** Further tools that the provider runs itself. */
  readonly nativeTools?: readonly NativeToolSource<Deps>[] | undefined;
  /** Answers to the calls that the history is parked on. */
  readonly deferredToolResults?: DeferredToolResults | undefined;
  /** Answers deferred calls while the run waits, instead of the agent's handler. */
  readonly deferredToolHandler?: DeferredToolHandler<Deps> | undefined;
  readonly capabilities?: readonly Capability<Deps>[] | undefined;
  /**
   * Pending calls of the history when the run has a prompt and no `deferredToolResults`: `error` (the
   * default) rejects the run, `cancel` ends the calls and tells the model that they were cancelled.
   */
  readonly onPendingCalls?: OnPendingCalls | undefined;
  /**
   * Told of tool calls and results as they happen; the run waits for it.
   *
   * `run` and `iter` do not stream the model's answers: use `stream` to see them come in.
   */
  readonly onEvent?: ((event: StepEvent) => void | Promise<void>) | undefined;
  /**
   * Called with the tool calls of each response, before any of them is validated or executed, and the run
   * waits for it. It is called for the calls of sub-agents too. The run fails if it throws.
   */
  readonly onToolCalls?: OnToolCalls | undefined;
}

/** The arguments after the prompt: options are required exactly when there are deps. */
export type RunArguments<Deps, Output extends OutputSpec> = unknown extends Deps
  ? [options?: RunOptions<Deps, Output> & { readonly deps?: Deps | undefined }]
  : [options: RunOptions<Deps, Output> & { readonly deps: Deps }];

/** The arguments of `resume` after the answers: as those of `run`, with the prompt among them. */
export type ResumeArguments<Deps, Output extends OutputSpec> = unknown extends Deps
  ? [options?: ResumeOptions<Deps, Output> & { readonly deps?: Deps | undefined }]
  : [options: ResumeOptions<Deps, Output> & { readonly deps: Deps }];

/** Options of a run that goes on with answers. */
export type ResumeOptions<Deps, Output extends OutputSpec> = Omit<
  RunOptions<Deps, Output>,
  'messageHistory' | 'deferredToolResults' | 'onPendingCalls'
> & {
  /** Told to the model after the results. */
  readonly prompt?: UserPrompt | undefined;
};

/** What an agent does differently inside of `override`. */
export interface OverrideOptions<Deps> {
  readonly model?: ModelLike | undefined;
  readonly tools?: readonly Tool<Deps>[] | Readonly<Record<string, Tool<Deps>>> | undefined;
  readonly deps?: Deps | undefined;
  readonly instructions?: Instructions<Deps> | undefined;
  readonly environment?: Environment | undefined;
}
