import type { Capability, SettingsSource } from '../capabilities/capability.ts';
import type { EventSink, StepEvent } from '../events/run-events.ts';
import type { HistoryProcessor } from '../capabilities/history-processor.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import type { Cancellation } from '../context/cancellation.ts';
import type { Environment } from '../context/environment.ts';
import type { Instruction } from '../context/instructions.ts';
import type { AgentInfo, NativeToolSource, RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handlers.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { LedgerClient } from '../gate/claim-plan.ts';
import type { OutputValidator } from '../execution/process-output.ts';
import type { ParallelMode } from '../execution/scope.ts';
import type { VerifyApproval } from '../gate/approval.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import type { JsonObject } from '../internal/json.ts';
import type { Message } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { Model } from '../models/model.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import type { RunUsage, UsageLimits } from '../usage/usage.ts';

/** The treatment of tool calls beside an output; the guide on outputs describes each strategy. */
export type EndStrategy = 'graceful' | 'early' | 'exhaustive';

/** The effect of pending calls on a run with a new prompt: the run fails, or it cancels the calls. */
export type OnPendingCalls = 'error' | 'cancel';

/** The effect of a second resume of a parked run: it fails, or it replays the recorded outcomes. */
export type OnAlreadyResumed = 'error' | 'replay';

/** The calls that execute at most once although they need no approval: those of tools marked `once`, or all but those of tools that are safe to repeat. */
export type AtMostOnce = 'opt-in' | 'all-unsafe';

/** Receives the tool calls of a response before any of them is validated or executed. */
export type OnToolCalls = (calls: readonly ToolCallPart[]) => void | Promise<void>;

/** The options of a run, merged from those of the agent and of the run. */
export interface RunSetup {
  readonly agent: AgentInfo;
  readonly model: Model;
  readonly deps: never;
  readonly prompt: UserPrompt | undefined;
  /** The history as sent to models. */
  readonly modelHistory: HistoryCleaner;
  /** The same history with its step records. */
  readonly messages: readonly Message[];
  readonly runId: string;
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
  /** Settings that override those of the model; later ones win. */
  readonly settings: readonly SettingsSource<never>[];
  readonly nativeTools: readonly NativeToolSource<never>[];
  readonly metadata: JsonObject | undefined;
  readonly validationContext: unknown;
  readonly environment: Environment;
  readonly cancellation: Cancellation;
  /** Decisions and results for the pending calls of the history. */
  readonly deferredToolResults: DeferredToolResults | undefined;
  readonly guarantees: Guarantees;
  readonly capabilities: readonly Capability<never>[];
  /** Handlers of a delegating run that may leave calls pending. They are called after those of the capabilities. */
  readonly outerHandlers: readonly DeferredToolHandler<never>[];
  /** The handler that must resolve all calls that the others left pending. */
  readonly deferredToolHandler: DeferredToolHandler<never> | undefined;
  /** The delegation that this run executes. */
  readonly delegation: RunDelegation | undefined;
  /** The effect of pending calls if there is a new prompt instead of results. */
  readonly onPendingCalls: OnPendingCalls;
  /** The hooks of the capabilities, if they are the same for all runs. */
  readonly hooks: HookSet | undefined;
  readonly sink: EventSink | undefined;
  readonly onToolCalls: OnToolCalls | undefined;
  /** Returns true if the model streams its next response. */
  readonly isStreaming: () => boolean;
  /** True if the run emits the events of its sub-agents. */
  readonly subAgentEvents: boolean;
}

/** The guarantees about the calls of a run. */
export interface Guarantees {
  /** The ledger that records which calls were executed. */
  readonly ledger: Ledger | undefined;
  readonly lease: number;
  readonly onBusy: LedgerClient['onBusy'];
  readonly onAlreadyResumed: OnAlreadyResumed;
  /** The calls that execute at most once although they need no approval. */
  readonly atMostOnce: AtMostOnce;
  readonly onDrift: 'ask' | 'deny';
  /** The functions that verify an approved call before it executes; all of them must accept it. */
  readonly approvalVerifiers: readonly VerifyApproval[];
  readonly reportEditedArgs: boolean;
  /** True if approval requests get a digest. */
  readonly digests: boolean;
  /** True if a resumed run continues the usage counts of the parked one. */
  readonly carryUsage: boolean;
  /** True if the run may park with any outputs. */
  readonly mayPark: boolean;
}

/** The part of a delegating run that a sub-agent uses. */
export interface OuterRun {
  readonly setup: RunSetup;
  readonly environment: Environment;
  readonly cancellation: Cancellation;
  readonly limits: UsageLimits | undefined;
  /** The ids of the calls that delegated to it, the outermost first. */
  readonly path: readonly string[];
  /** The id of the run that has no parent. */
  readonly outermostRunId: string;
  readonly toolset: { readonly current: Toolset<never> };
  /** The claims of its calls; `undefined` without a ledger. */
  readonly claims: LedgerClient | undefined;
  /** The handlers that may leave calls pending. Each receives the calls that earlier handlers left pending. */
  readonly chainedHandlers: readonly DeferredToolHandler<never>[];
  /** True if the run has an observer. */
  readonly observed: boolean;
  emit(event: StepEvent, isRecorded?: boolean): Promise<void> | undefined;
}

/** The call that delegates to a run. */
export interface RunDelegation {
  /** The context of the call. */
  readonly ctx: RunContext<never>;
  /** The run that the call belongs to. */
  readonly run: OuterRun;
  /** True if the sub-agent parks together with the delegating run. */
  readonly parks: boolean;
}
