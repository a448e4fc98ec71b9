import type { Capability, SettingsSource } from '../capabilities/capability.ts';
import type { EventSink } from '../capabilities/events.ts';
import type { HistoryProcessor } from '../capabilities/history-processor.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import type { Cancellation } from '../context/cancellation.ts';
import type { Environment } from '../context/environment.ts';
import type { Instruction } from '../context/instructions.ts';
import type { NativeToolSource } from '../context/native-tool-source.ts';
import type { AgentInfo, RunContext } from '../context/run-context.ts';
import type { Tracer } from '../context/tracer.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { ClaimScope } from '../execution/claim.ts';
import type { OutputValidator } from '../execution/process-output.ts';
import type { ParallelMode } from '../execution/scope.ts';
import type { VerifyApproval } from '../execution/approval.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import type { JsonObject } from '../messages/json.ts';
import type { Message } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { Model } from '../models/model.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import type { UsageLimits } from '../usage/limits.ts';
import type { RunUsage } from '../usage/run-usage.ts';

/** What happens to tool calls beside an output: see the guide on outputs. */
export type EndStrategy = 'graceful' | 'early' | 'exhaustive';

/** What becomes of calls that wait: the run refuses to start, or they are closed as interrupted. */
export type OnPendingCalls = 'error' | 'cancel';

/** What becomes of a second resumption of a parked run: it is refused, or goes on with what is recorded. */
export type OnAlreadyResumed = 'error' | 'replay';

/**
 * Which calls run at most once although nobody has to approve them: those of tools that say so, or all
 * but those of tools that say that they are safe to repeat.
 */
export type AtMostOnce = 'opt-in' | 'all-unsafe';

/** Receives the tool calls of a response before any of them is validated or executed. */
export type OnToolCalls = (calls: readonly ToolCallPart[]) => void | Promise<void>;

/** What a run is made from. The agent has put it together from its own options and those of the run. */
export interface RunSetup {
  readonly agent: AgentInfo;
  readonly model: Model;
  readonly deps: never;
  readonly prompt: UserPrompt | undefined;
  /** The repaired history so far. */
  readonly history: HistoryCleaner;
  /** The same history as it is kept: with what is noted in it. */
  readonly kept: readonly Message[];
  readonly runId: string;
  /** Whether the live environment has made the id for this run: there is no other run with it. */
  readonly hasNewId: boolean;
  readonly conversationId: string;
  readonly toolset: Toolset<never>;
  readonly instructions: readonly Instruction<never>[];
  readonly systemPrompts: readonly Instruction<never>[];
  readonly historyProcessors: readonly HistoryProcessor<never>[];
  readonly outputPlan: OutputPlan;
  readonly outputValidators: readonly OutputValidator<never, unknown>[];
  readonly endStrategy: EndStrategy;
  readonly parallelMode: ParallelMode;
  readonly toolRetries: number;
  readonly outputRetries: number;
  readonly toolTimeout: number | undefined;
  /** The tool timeout of the run options, which sub-agents inherit. */
  readonly defaultToolTimeout: number | undefined;
  readonly usage: RunUsage;
  readonly limits: UsageLimits | undefined;
  /** Settings over those of the model; later ones win. */
  readonly settings: readonly SettingsSource<never>[];
  readonly nativeTools: readonly NativeToolSource<never>[];
  readonly metadata: JsonObject | undefined;
  readonly validationContext: unknown;
  readonly tracer: Tracer;
  readonly traceIncludeContent: boolean;
  readonly environment: Environment;
  readonly cancellation: Cancellation;
  /** Answers to the calls that the history is parked on. */
  readonly deferredToolResults: DeferredToolResults | undefined;
  readonly guarantees: Guarantees;
  readonly capabilities: readonly Capability<never>[];
  /** Handlers of a delegating run that may leave calls open; asked after those of the capabilities. */
  readonly outerHandlers: readonly DeferredToolHandler<never>[];
  /** The handler that must answer what is left. */
  readonly deferredToolHandler: DeferredToolHandler<never> | undefined;
  /** The run that has handed this one its work. */
  readonly delegation: RunDelegation | undefined;
  /** What becomes of calls that wait when there is a new prompt instead of answers. */
  readonly onPendingCalls: OnPendingCalls;
  /** The hooks of the capabilities, if they are the same for all runs. */
  readonly hooks: HookSet | undefined;
  readonly sink: EventSink | undefined;
  readonly onToolCalls: OnToolCalls | undefined;
  /** Whether the model is asked to stream its answers. */
  readonly streaming: boolean;
}

/** What is guaranteed about the calls of a run. */
export interface Guarantees {
  /** Where it is kept which calls have run. */
  readonly ledger: Ledger | undefined;
  readonly lease: number;
  readonly onBusy: ClaimScope['onBusy'];
  readonly onAlreadyResumed: OnAlreadyResumed;
  /** Which calls run once although nobody has to approve them. */
  readonly once: AtMostOnce;
  readonly onDrift: 'ask' | 'deny';
  /** The functions that verify an approved call before it executes; all of them must accept it. */
  readonly approvalVerifiers: readonly VerifyApproval[];
  readonly reportEditedArgs: boolean;
  /** Whether calls that wait get a digest. */
  readonly digests: boolean;
  /** Whether usage is counted on over a resume. */
  readonly carryUsage: boolean;
}

/** What a run that hands over work is asked for. */
export interface OuterRun {
  readonly setup: RunSetup;
  readonly environment: Environment;
  readonly cancellation: Cancellation;
  readonly limits: UsageLimits | undefined;
  readonly tracer: Tracer;
  /** The ids of the calls that have handed it its own work, the outermost first. */
  readonly path: readonly string[];
  /** The id of the run that has no parent. */
  readonly outermostRunId: string;
  readonly toolset: { readonly current: Toolset<never> };
  /** How its calls are claimed; `undefined` without a ledger. */
  readonly claims: ClaimScope | undefined;
  /** The handlers that may leave calls open; each gets what those before it left. */
  readonly chainedHandlers: readonly DeferredToolHandler<never>[];
}

/** Where a run gets its work from. */
export interface RunDelegation {
  /** The call that delegates. */
  readonly ctx: RunContext<never>;
  /** The run that this call is from. */
  readonly run: OuterRun;
  /** Whether calls of the sub-agent can wait together with the call that delegates. */
  readonly parks: boolean;
}
