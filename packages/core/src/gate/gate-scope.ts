import type { HookSet } from '../capabilities/hook-set.ts';
import type { CallState, Context, RunFacts } from '../context/context.ts';
import type { ModelResponse } from '../messages/message.ts';
import type { OutputPlan } from '../output/output-plan.ts';
import type { ToolMap, ToolsetTool } from '../toolsets/toolset.ts';
import type { Approval, VerifyApproval } from './approval.ts';
import type { LedgerClient } from './claim-plan.ts';
import type { Cancellation } from '../context/cancellation.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { Resumption } from '../deferred/sub-agent-run.ts';

/**
 * The parts of a run that the gate needs.
 *
 * The deps have the type `never`, which every tool accepts. The agent has ensured that they match
 * its tools.
 */
export interface GateScope extends RunFacts<never> {
  /** The response whose calls are submitted. */
  readonly lastResponse: ModelResponse | undefined;
  /** The tools of the current step. */
  readonly tools: ToolMap<never>;
  readonly outputPlan: OutputPlan;
  /** Retries of a tool that does not set its own number. */
  readonly toolRetries: number;
  readonly hooks: HookSet;
  /** Hidden tools that the model has tried to call. */
  readonly calledHiddenTools: Set<string>;
  /** The claims of the run; `undefined` without a ledger. */
  readonly claims: LedgerClient | undefined;
  /** The reaction to an approved call that drifted: request a new approval, or deny it. */
  readonly onDrift: 'ask' | 'deny';
  /** The functions that verify an approved call before it executes; all of them must accept it. */
  readonly approvalVerifiers: readonly VerifyApproval[];
  /** The ids of the calls that delegated to the agent of this run, the outermost first. */
  readonly path: readonly string[];
}

/** A tool call that is submitted to the gate. */
export interface GateRequest {
  readonly call: ToolCallPart;
  /** Set if an approver approved the call. */
  readonly approval?: Approval | undefined;
  /** Set if the call resumes a parked sub-agent. */
  readonly resumption?: Resumption | undefined;
}

/** A tool and the context of a call to it: enough to validate arguments and to describe the call. */
export interface ToolInContext {
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  /** Ends every wait when it is cancelled. */
  readonly parent: Cancellation;
}

/** A call that the gate decides about. Its tool exists, and its arguments are a JSON object. */
export interface GateCandidate<out Request extends GateRequest = GateRequest>
  extends ToolInContext {
  readonly scope: GateScope;
  readonly request: Request;
  readonly callState: CallState;
  /** The arguments to execute, before validation. */
  readonly sentArgs: JsonObject;
  /** The same, if an approver or an earlier hook changed what the model sent. */
  readonly editedArgs?: JsonObject | undefined;
}
