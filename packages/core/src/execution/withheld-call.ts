import type { Cancellation } from '../context/cancellation.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import { isAgentTool } from '../tools/agent-tools.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { timedOut, withTimeout } from './call-timeout.ts';
import { finishRecorded, type StartedCall } from './execute-call.ts';
import type { Admission } from '../gate/gate.ts';
import type {
  DecidedOutcome,
  DeferredOutcome,
  FinalOutcome,
  Outcome,
} from '../outcomes/outcome.ts';
import type { CallInBatch } from './call-in-batch.ts';
import { recordDecision } from './claims/record-decision.ts';
import type { ExecutionScope } from './scope.ts';

/**
 * An approved call that the gate does not permit: its tool drifted, it is in doubt, or the ledger has its outcome.
 *
 * It is a step under the name that its execution would have. The gate reads the ledger and previews, which change when
 * the call executes. On replay it may therefore decide otherwise, and the recorded outcome of the step holds.
 */
export class WithheldCall {
  readonly kind = 'withheld';
  readonly request: CallInBatch;
  readonly tool: ToolsetTool<never>;
  /** The validated arguments; `undefined` if the call will not be shown to an approver. */
  readonly checked: CheckedArgs | undefined;
  readonly #outcome: FinalOutcome | DeferredOutcome;

  constructor(request: CallInBatch, tool: ToolsetTool<never>, admission: UnpermittedAdmission) {
    this.request = request;
    this.tool = tool;
    const isDeferred = admission.kind === 'deferred';
    this.checked = isDeferred ? admission.checked : undefined;
    this.#outcome = isDeferred
      ? { ...admission.outcome, details: admission.details }
      : admission.outcome;
  }

  /** Starts the step. Not `async`: the promise comes straight from the environment. */
  start(scope: ExecutionScope, cancellation: Cancellation): StartedCall {
    const { environment } = scope;
    let hasBegun = false;
    const step = environment.step(`tool:${this.request.call.toolName}`, () => {
      hasBegun = true;
      return this.#decide(scope, cancellation);
    });
    // The time limit that an execution would have. That of a claimed call is part of its step.
    const isClaimed = scope.claims !== undefined && !isAgentTool(this.tool.executor);
    const timeout = isClaimed ? undefined : (this.tool.definition.timeout ?? scope.toolTimeout);
    const timed =
      timeout === undefined ? undefined : withTimeout(environment, step, timeout, cancellation);
    return {
      end: timed?.value ?? step,
      finish: (end) => {
        timed?.stopTimer();
        const outcome = end ?? timedOut(timeout);
        return hasBegun ? { outcome, isRecorded: false } : finishRecorded(scope, outcome);
      },
    };
  }

  async #decide(scope: ExecutionScope, cancellation: Cancellation): Promise<Outcome> {
    const outcome = this.#outcome;
    return outcome.kind === 'decided'
      ? recordDecision(scope, this.request, outcome, cancellation)
      : outcome;
  }
}

/** A decision of the gate about an approved call that does not depend on its arguments alone. */
type UnpermittedAdmission =
  | Extract<Admission, { readonly kind: 'deferred' | 'settled' }>
  | { readonly kind: 'rejected'; readonly outcome: DecidedOutcome };

/** Returns the withheld call if the gate did not permit an approved call, for a reason that may change. */
export function withheldCall(
  { tools }: ExecutionScope,
  request: CallInBatch,
  admission: Admission,
): WithheldCall | undefined {
  const tool = tools.get(request.call.toolName);
  if (request.approval === undefined || tool === undefined) return undefined;
  switch (admission.kind) {
    case 'permitted':
      return undefined;
    case 'deferred':
    case 'settled':
      return new WithheldCall(request, tool, admission);
    case 'rejected': {
      const { outcome } = admission;
      // Invalid arguments are rejected on replay too.
      if (outcome.kind !== 'decided') return undefined;
      return new WithheldCall(request, tool, { kind: 'rejected', outcome });
    }
  }
}
