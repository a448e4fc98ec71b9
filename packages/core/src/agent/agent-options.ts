import type { Capability } from '../capabilities/capability.ts';
import type { Environment } from '../context/environment.ts';
import type { NativeToolSource, RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handlers.ts';
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
import type { RunUsage, UsageLimits } from '../usage/usage.ts';

/** A tool with any deps and arguments. */
export type AnyTool = Tool<never, unknown>;

/** Tools as a list, or as a record whose keys are the names. */
export type AnyTools = readonly AnyTool[] | Readonly<Record<string, AnyTool>>;

/** The deps of all tools together. */
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
 * Toolsets, and functions that create one for each run.
 *
 * The type accepts any object, so that TypeScript infers the deps of a toolset that is written in the list. The
 * constructor of the agent rejects other objects.
 */
export type AnyToolsets = readonly (ToolsetFactory | object)[];

/** Toolsets that need no deps. */
export type PlainToolsets = readonly (Toolset | ToolsetFactory)[];

/** The deps of all toolsets together. */
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

/** The deps of an agent: those of its tools, toolsets, outputs and callbacks together. */
export type DepsOfAgent<Tools, Output, Own, Toolsets = readonly []> = DepsOfTools<Tools> &
  DepsOfToolsets<Toolsets> &
  OutputDepsOf<Output> &
  Own;

/** The number of retries of the model: one number for both, or one each for tools and output. */
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
  /**
   * Computes a digest for each pending call, which decisions can carry. With a ledger, pending
   * calls always have one.
   */
  readonly digests?: boolean | undefined;
  /** Stores the usage of a run when it parks, and continues counting from it when the run resumes. */
  readonly carryUsage?: boolean | undefined;
  /**
   * Allows the run to park although `DeferredToolRequests` is not among the outputs. For code that executes runs of
   * any agent and handles parked runs itself, such as the desk: the types of the agent do not show it.
   */
  readonly mayPark?: boolean | undefined;
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
  /** True if the model receives the arguments of a call that an approver edited. */
  readonly reportEditedArgs?: boolean | undefined;
}

/** Options of an agent. */
export interface AgentOptions<
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets = AnyToolsets,
> extends SharedOptions {
  /** The name of the agent in traces, errors and user interfaces. */
  readonly name?: string | undefined;
  /** An AI SDK language model, a `Model`, or a string such as `'openai:gpt-5'`. */
  readonly model?: ModelLike | undefined;
  readonly tools?: Tools | undefined;
  /** The type of the output; text by default. */
  readonly output?: Output | undefined;
  /** Text that accompanies every model request. It is not stored for later runs. */
  readonly instructions?: Instructions<Own> | undefined;
  /** Text that is sent once, at the beginning of a conversation. It stays in the history. */
  readonly systemPrompt?: Instructions<Own> | undefined;
  /** Functions that validate the output. Each may change it, or throw `ModelRetry` to return it to the model. */
  readonly outputValidators?: readonly OutputValidator<Own, OutputOf<Output>>[] | undefined;
  /** Functions that change the history before each request. */
  readonly historyProcessors?: readonly HistoryProcessor<Own>[] | undefined;
  /** The treatment of tool calls beside an output; `graceful` by default. */
  readonly endStrategy?: EndStrategy | undefined;
  /** The number of retries; 1 for tools and 1 for the output by default. */
  readonly retries?: Retries | undefined;
  /** The timeout in milliseconds of tools that set none. */
  readonly toolTimeout?: number | undefined;
  readonly modelSettings?: ModelSettings | undefined;
  readonly usageLimits?: UsageLimits | undefined;
  /** Data of the application, available as `ctx.metadata`. */
  readonly metadata?: JsonObject | undefined;
  /** A value for validators, available as `ctx.validationContext`. */
  readonly validationContext?: unknown;
  readonly environment?: Environment | undefined;
  /** Toolsets, and functions that create one for each run. */
  readonly toolsets?: Toolsets | undefined;
  /** Tools that the provider executes itself, such as its web search. */
  readonly nativeTools?: readonly NativeToolSource<Own>[] | undefined;
  /** Decides deferred calls while the run waits for it. It must resolve every call that it receives. */
  readonly deferredToolHandler?: DeferredToolHandler<Own> | undefined;
  /** Bundles of behaviour. */
  readonly capabilities?: readonly Capability<Own>[] | undefined;
  /** Requires approval for further calls, besides those whose tools require it. It cannot remove a requirement. */
  readonly approvalPolicy?: ApprovalPolicy<Own> | undefined;
}

/** Options of one run. */
export interface RunOptions<Deps, Output extends OutputSpec> extends SharedOptions {
  readonly model?: ModelLike | undefined;
  /** The conversation so far: `result.messages` of an earlier run, or the value of `messageCodec.parse`. */
  readonly messageHistory?: readonly Message[] | undefined;
  /** The type of the output of this run, instead of that of the agent. */
  readonly output?: Output | undefined;
  /** Instructions in addition to those of the agent. */
  readonly instructions?: Instructions<Deps> | undefined;
  readonly retries?: Retries | undefined;
  /** The way in which the tool calls of one response execute; in parallel by default. */
  readonly parallelMode?: ParallelMode | undefined;
  /** Merged over the settings of the agent. */
  readonly modelSettings?: ModelSettings | undefined;
  /** The usage to which this run adds its own. Pass `ctx.usage` to share the usage of another run. */
  readonly usage?: RunUsage | undefined;
  readonly usageLimits?: UsageLimits | undefined;
  /**
   * Milliseconds that a tool may take if neither the tool nor its agent sets a timeout. Sub-agents inherit the
   * value.
   */
  readonly toolTimeout?: number | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly validationContext?: unknown;
  /** Stops the run when it aborts. The run fails with the reason of the `AbortSignal`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The context of the call or hook that delegates to this run. The run shares the usage, the
   * limits and the handlers of the parent run. It is cancelled with the call, calls `forSubAgent`
   * of its toolsets, and cannot park. Use `asTool` for an agent whose calls may be deferred.
   */
  readonly parent?: RunContext | undefined;
  readonly runId?: string | undefined;
  /** The conversation of this run; by default that of the history, `'new'` for a fork. */
  readonly conversationId?: string | undefined;
  readonly environment?: Environment | undefined;
  /** Further toolsets for this run. */
  readonly toolsets?: readonly (Toolset<Deps> | ToolsetFactory<Deps>)[] | undefined;
  /** Further tools that the provider executes itself. */
  readonly nativeTools?: readonly NativeToolSource<Deps>[] | undefined;
  /** Decisions and results for the pending calls of the history. */
  readonly deferredToolResults?: DeferredToolResults | undefined;
  /** Decides deferred calls while the run waits for it, instead of the handler of the agent. */
  readonly deferredToolHandler?: DeferredToolHandler<Deps> | undefined;
  readonly capabilities?: readonly Capability<Deps>[] | undefined;
  /**
   * Pending calls of the history when the run has a prompt and no `deferredToolResults`: `error` (the
   * default) rejects the run, `cancel` cancels the calls and sends that to the model.
   */
  readonly onPendingCalls?: OnPendingCalls | undefined;
  /**
   * Receives the events of tool calls and results, and the run waits for it. With `events` it also receives those of
   * model responses and of sub-agents.
   */
  readonly onEvent?: ((event: StepEvent) => void | Promise<void>) | undefined;
  /** The events that the run emits besides those of its tool calls. */
  readonly events?: EventOptions | undefined;
  /**
   * Called with the tool calls of each response, before any of them is validated or executed. The
   * run awaits it, and fails if it throws. It is also called for the calls of sub-agents.
   */
  readonly onToolCalls?: OnToolCalls | undefined;
}

/** The events that a run emits besides those of its tool calls. */
export interface EventOptions {
  /**
   * True if the model streams its responses, and the run emits their parts. Defaults to true for `stream`, and to false
   * for `run`, `resume` and `iter`. A function is called before each model request.
   */
  readonly responses?: boolean | (() => boolean) | undefined;
  /** True if the run emits the events of its sub-agents, each as a `sub-agent-event` with its path. Defaults to false. */
  readonly subAgents?: boolean | undefined;
}

/** The arguments after the prompt: options are required exactly when there are deps. */
export type RunArguments<Deps, Output extends OutputSpec> = unknown extends Deps
  ? [options?: RunOptions<Deps, Output> & { readonly deps?: Deps | undefined }]
  : [options: RunOptions<Deps, Output> & { readonly deps: Deps }];

/** The arguments of `resume` after the tool results: those of `run`, with the prompt as an option. */
export type ResumeArguments<Deps, Output extends OutputSpec> = unknown extends Deps
  ? [options?: ResumeOptions<Deps, Output> & { readonly deps?: Deps | undefined }]
  : [options: ResumeOptions<Deps, Output> & { readonly deps: Deps }];

/** Options of a resumed run. */
export type ResumeOptions<Deps, Output extends OutputSpec> = Omit<
  RunOptions<Deps, Output>,
  'messageHistory' | 'deferredToolResults' | 'onPendingCalls'
> & {
  /** A prompt that follows the results. */
  readonly prompt?: UserPrompt | undefined;
};

/** Options that replace those of an agent during `override`. */
export interface OverrideOptions<Deps> {
  readonly model?: ModelLike | undefined;
  readonly tools?: readonly Tool<Deps>[] | Readonly<Record<string, Tool<Deps>>> | undefined;
  readonly deps?: Deps | undefined;
  readonly instructions?: Instructions<Deps> | undefined;
  readonly environment?: Environment | undefined;
}
