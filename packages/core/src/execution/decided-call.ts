import type { Cancellation } from '../context/cancellation.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import { deepFreeze } from '../internal/json.ts';
import { isAgentTool } from '../tools/agent-tools.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { timeoutOf, timeoutText } from './call-timeout.ts';
import type { Admission } from './gate.ts';
import type { AnsweredOutcome, DeferredOutcome, FinalOutcome, Outcome } from './outcome.ts';
import type { PlacedCall } from './placed-call.ts';
import { keepAnswer } from './record-answer.ts';
import type { ExecutionScope } from './scope.ts';

/**
 * An approved call that the gate does not permit: its tool drifted, it is in doubt, or the ledger has its outcome.
 *
 * It is a step under the name that its execution would have. The gate reads the ledger and previews, which change when
 * the call executes. On replay it may therefore decide otherwise, and the recorded outcome of the step holds.
 */
export class DecidedCall {
  readonly kind = 'decided';
  readonly at: PlacedCall;
  readonly tool: ToolsetTool<never>;
  /** The validated arguments; `undefined` if the call will not be shown to an approver. */
  readonly checked: CheckedArgs | undefined;
  readonly #outcome: FinalOutcome | DeferredOutcome;
  readonly #timer = new AbortController();
  #hasBegun = false;

  constructor(at: PlacedCall, tool: ToolsetTool<never>, admission: UnpermittedAdmission) {
    this.at = at;
    this.tool = tool;
    const isDeferred = admission.kind === 'deferred';
    this.checked = isDeferred ? admission.checked : undefined;
    this.#outcome = isDeferred
      ? { ...admission.outcome, details: admission.details }
      : admission.outcome;
  }

  /** Whether the step started in this attempt. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Starts the step. Not `async`: the promise comes straight from the environment. */
  start(scope: ExecutionScope, cancellation: Cancellation): Promise<Outcome | void> {
    const { environment } = scope;
    const step = environment.step(`tool:${this.at.call.toolName}`, () =>
      this.#decide(scope, cancellation),
    );
    const timeout = this.#raceTimeout(scope);
    if (timeout === undefined) return step;
    return environment.race<Outcome | void>([step, environment.sleep(timeout, this.#timer.signal)]);
  }

  /** Returns the outcome of the started step. */
  conclude(scope: ExecutionScope, outcome: Outcome | void): Outcome {
    this.#timer.abort(null);
    // Without a timeout there is always an outcome.
    if (!outcome) return { kind: 'retry', content: timeoutText(timeoutOf(scope, this.tool)!) };
    if (this.#hasBegun) return outcome;
    if (outcome.spent !== undefined) scope.usage.add(outcome.spent);
    return deepFreeze(outcome);
  }

  /** Returns the time limit that an execution would have in the environment. That of a claimed call is in its step. */
  #raceTimeout(scope: ExecutionScope): number | undefined {
    const isClaimed = scope.claims !== undefined && !isAgentTool(this.tool.executor);
    return isClaimed ? undefined : timeoutOf(scope, this.tool);
  }

  async #decide(scope: ExecutionScope, cancellation: Cancellation): Promise<Outcome> {
    this.#hasBegun = true;
    const outcome = this.#outcome;
    if (outcome.kind !== 'answered') return outcome;
    try {
      return await keepAnswer(scope, this.at, outcome, cancellation);
    } catch (error) {
      return { kind: 'error', error };
    }
  }
}

/** A decision of the gate about an approved call that does not depend on its arguments alone. */
type UnpermittedAdmission =
  | Extract<Admission, { readonly kind: 'deferred' | 'known' }>
  | { readonly kind: 'refused'; readonly outcome: AnsweredOutcome };

/** Returns the decided call if the gate did not permit an approved call, for a reason that may change. */
export function decidedCall(
  { tools }: ExecutionScope,
  placed: PlacedCall,
  admission: Admission,
): DecidedCall | undefined {
  const tool = tools.get(placed.call.toolName);
  if (placed.approval === undefined || tool === undefined) return undefined;
  switch (admission.kind) {
    case 'permitted':
      return undefined;
    case 'deferred':
    case 'known':
      return new DecidedCall(placed, tool, admission);
    case 'refused': {
      const { outcome } = admission;
      // Invalid arguments are rejected on replay too.
      if (outcome.kind !== 'answered') return undefined;
      return new DecidedCall(placed, tool, { kind: 'refused', outcome });
    }
  }
}
