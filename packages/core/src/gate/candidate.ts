import type { CallState } from '../context/call-state.ts';
import type { Cancellation } from '../context/cancellation.ts';
import type { Context } from '../context/context.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import type { Approval } from './approval.ts';
import type { GateScope } from './gate-scope.ts';
import type { Resumption } from '../deferred/sub-agent-run.ts';

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
