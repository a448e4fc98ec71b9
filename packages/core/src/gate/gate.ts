import { CallState, Context } from '../context/context.ts';
import type { Cancellation } from '../context/cancellation.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import { UserError } from '../errors/user-errors.ts';
import { type CallDetails, NO_DETAILS } from '../messages/call-details.ts';
import type { JsonObject } from '../internal/json.ts';
import { requireBoolean } from '../tools/approval-guard.ts';
import { parseArgs, parseLeniently } from '../tools/parse-args.ts';
import { issuePermit, type Permit } from '../tools/permit.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { type Approval, isApproved } from './approval.ts';
import type { GateCandidate, GateRequest, GateScope } from './gate-scope.ts';
import { type ClaimPlan, planClaim } from './claim-plan.ts';
import {
  callDetails,
  noJsonForm,
  previewOf,
  recordedArgs,
  unshowableArgs,
  withArgs,
  withQuestion,
} from './describe-call.ts';
import {
  type DeferredOutcome,
  type FinalOutcome,
  outcomeOfDoubt,
  type RetryOutcome,
  toolReturn,
} from '../outcomes/outcome.ts';
import { fromStored } from '../outcomes/stored-outcome.ts';
import { resumeWith } from '../deferred/sub-agent-run.ts';
import {
  type BoundArgs,
  type Rejected,
  reject,
  type ValidatedArgs,
  validateArgs,
} from './validate-args.ts';
import { approvalHolds } from './approval-holds.ts';

/** The gate's decision about a call. */
export type Admission<Request extends GateRequest = GateRequest> =
  | PermittedCall<Request>
  | DeferredAdmission
  | Rejected
  | AlreadySettled;

/** The call may execute, once. */
export interface PermittedCall<out Request extends GateRequest = GateRequest> {
  readonly kind: 'permitted';
  /** The call as it was submitted. */
  readonly request: Request;
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  readonly callState: CallState;
  readonly permit: Permit;
  /** The arguments to execute before validation, if they differ from what the model sent. */
  readonly changedArgs: JsonObject | undefined;
  /** How to claim the call in the ledger before it executes. */
  readonly plan: ClaimPlan | undefined;
}

/** The call is valid, but needs an approval or an external result. */
export interface DeferredAdmission {
  readonly kind: 'deferred';
  readonly outcome: DeferredOutcome;
  readonly checked: CheckedArgs;
  readonly details: CallDetails | undefined;
}

/** The ledger already has the outcome of this call. */
export interface AlreadySettled {
  readonly kind: 'settled';
  readonly outcome: FinalOutcome;
}

/**
 * Decides whether a tool call may execute. Every call passes through here, and nothing else issues permits.
 *
 * Errors that a tool's validator throws are rethrown. `caller`: the call whose tool made this one.
 */
export async function admit<Request extends GateRequest>(
  scope: GateScope,
  request: Request,
  parent: Cancellation,
  caller?: CallState,
): Promise<Admission<Request>> {
  const { call, approval, resumption } = request;

  // Resolve.
  const tool = scope.tools.get(call.toolName);
  if (tool === undefined) return reject(unknownTool(scope, call.toolName), false);
  if (tool.definition.deferLoading) return reject(hiddenTool(scope, call.toolName), false);

  // Parse. Edited arguments replace those the model sent.
  const editedArgs = approval?.overrideArgs ?? approval?.request?.args;
  const given = editedArgs ?? call.args;
  const parsed = tool.definition.kind === 'external' ? parseLeniently(given) : parseArgs(given);
  if (!parsed.ok) return reject({ kind: 'retry', content: parsed.issues }, false);

  // Validate and freeze.
  const facts = {
    call,
    response: scope.lastResponse,
    retry: scope.retries[call.toolName] ?? 0,
    maxRetries: tool.maxRetries ?? scope.toolRetries,
    approval: approval ?? (resumption && {}),
  };
  const callState = new CallState(facts, parent, caller);
  const ctx = new Context<never>(scope, callState);
  const sentArgs = parsed.value;
  const candidate = { scope, request, tool, ctx, callState, parent, sentArgs, editedArgs };
  const bound = approval && boundArgs(approval, sentArgs);
  const validated = await validateArgs(candidate, bound);
  if (validated.kind === 'rejected') return validated;

  // A sub-agent that resumes was admitted when it started.
  if (resumption !== undefined) {
    resumeWith(callState, resumption);
    return permit(candidate, validated);
  }

  // Decide.
  const deferral = requiredDeferral(candidate, validated);
  if (deferral !== undefined) return await defer(candidate, validated, deferral);
  // An input for a question is not an approval.
  if (!isApproved(approval)) {
    const needsApproval = await parent.guard(tool.needsApproval(validated.args, ctx));
    if (requireBoolean(`The approval check of tool \`${call.toolName}\``, needsApproval)) {
      return await defer(candidate, validated, NEEDS_APPROVAL);
    }
  }
  if (approval === undefined) return permit(candidate, validated);

  // An approval is valid only for the call that the approver was shown, and only if the application
  // accepts it.
  return (await approvalHolds(candidate, validated, approval))
    ? permit(candidate, validated)
    : await admitDrifted(candidate);
}

const NEEDS_APPROVAL: DeferredOutcome = { kind: 'deferred', deferralKind: 'approval' };

/** Returns the value that the approver was shown, if the decision binds it. An edit is always validated. */
function boundArgs(
  { request, overrideArgs, isBound }: Approval,
  sentArgs: JsonObject,
): BoundArgs | undefined {
  if (!isBound || request === undefined || overrideArgs !== undefined) return undefined;
  const args = recordedArgs(request, sentArgs);
  return args === undefined ? undefined : { ok: true, value: args };
}

function permit<Request extends GateRequest>(
  { scope, request, tool, ctx, callState, editedArgs }: GateCandidate<Request>,
  validated: ValidatedArgs,
): PermittedCall<Request> {
  return {
    kind: 'permitted',
    request,
    tool,
    ctx,
    callState,
    permit: issuePermit(tool.executor, request.call, validated.args),
    changedArgs: validated.changedArgs ?? editedArgs,
    plan: planClaim(scope.claims, tool, request.call, request.approval),
  };
}

/** Returns the deferral that the tool or its validator requires, or `undefined` if there is none. */
function requiredDeferral(
  { tool, request }: GateCandidate,
  validated: ValidatedArgs,
): DeferredOutcome | undefined {
  const { kind, name } = tool.definition;
  const { deferral: byValidator } = validated;
  if (kind === 'external') {
    if (request.approval === undefined)
      return { ...byValidator, kind: 'deferred', deferralKind: 'external' };
    throw new UserError(
      `Tool \`${name}\` is external, so its calls cannot be approved. Pass its result in \`calls\`.`,
    );
  }
  if (kind === 'unapproved' && !isApproved(request.approval)) {
    return { ...byValidator, kind: 'deferred', deferralKind: 'approval' };
  }
  return byValidator;
}

/** Defers a call, with the preview that its approver is shown. Rejects arguments that an approver cannot be shown. */
async function defer(
  candidate: GateCandidate,
  validated: ValidatedArgs,
  outcome: DeferredOutcome,
): Promise<DeferredAdmission | Rejected> {
  const { tool, sentArgs, editedArgs, request } = candidate;
  const { args, changedArgs = editedArgs } = validated;
  if (outcome.deferralKind === 'external') {
    const details = withArgs(undefined, changedArgs);
    return { kind: 'deferred', outcome, checked: validated, details };
  }
  // A preview may rely on arguments that have a JSON form.
  const rejected = rejectUnshowable(tool, args);
  if (rejected !== undefined) return rejected;
  const preview = await previewOf(candidate, args);
  const described = withArgs(
    callDetails(tool, args, changedArgs ?? sentArgs, preview),
    changedArgs,
  );
  const details = withQuestion(described, outcome, request.approval);
  return { kind: 'deferred', outcome, checked: validated, details };
}

/** Rejects a number that JSON cannot hold. Throws for other arguments without a JSON form. */
function rejectUnshowable({ definition }: ToolsetTool<never>, args: unknown): Rejected | undefined {
  const unshowable = unshowableArgs(definition, args);
  if (unshowable === undefined) return undefined;
  const { path, what, isNumber } = unshowable;
  if (!isNumber) throw noJsonForm(definition, unshowable);
  return reject({ kind: 'retry', content: `${path} is ${what}. Send a finite number.` }, false);
}

/**
 * Requests a new approval for a call that differs from the one its approver was shown, or denies
 * it.
 *
 * An outcome in the ledger and an earlier attempt in doubt take precedence. The new request shows
 * the current result of the validation, not the value that the old decision bound.
 */
async function admitDrifted(
  candidate: GateCandidate,
): Promise<DeferredAdmission | Rejected | AlreadySettled> {
  const { scope, request } = candidate;
  const recorded = await recordedOutcome(candidate);
  if (recorded !== undefined && recorded.kind !== 'deferred') {
    return { kind: 'settled', outcome: recorded };
  }
  if (recorded === undefined && scope.onDrift === 'deny') {
    const message = 'The call is not what its approver was shown, so it was not executed.';
    const part = toolReturn(request.call, message, 'denied');
    return reject({ kind: 'decided', result: { part } }, true);
  }
  const validated = await validateArgs(candidate);
  if (validated.kind === 'rejected') return validated;
  if (recorded !== undefined) return await defer(candidate, validated, recorded);
  const deferred = await defer(candidate, validated, NEEDS_APPROVAL);
  if (deferred.kind === 'rejected') return deferred;
  const inDoubt = request.approval?.request?.inDoubt;
  // The inputs were for the call as it was.
  const { earlier: _, questionState: _state, ...current } = deferred.details ?? NO_DETAILS;
  const details = { ...current, ...(inDoubt && { inDoubt }), drifted: true };
  return { ...deferred, details: Object.freeze(details) };
}

/** Returns the recorded outcome of an approved call, or a deferral if an attempt is in doubt. */
async function recordedOutcome({
  scope,
  request,
  tool,
  parent,
}: GateCandidate): Promise<FinalOutcome | DeferredOutcome | undefined> {
  const plan = planClaim(scope.claims, tool, request.call, request.approval);
  const entry = plan && (await parent.guard(scope.claims?.ledger.read(plan.key)));
  if (entry?.state === 'settled') return fromStored(entry.outcome, request.call);
  const { onInDoubt = 'ask' } = tool.definition;
  if (entry?.state !== 'doubt' || onInDoubt === 'retry') return undefined;
  const wasShown = request.approval?.request?.inDoubt?.attempt === entry.claim.attempt;
  return wasShown ? undefined : outcomeOfDoubt(request.call, onInDoubt, entry);
}

/** Rejects a call to a hidden tool. The first one does not count as a retry: the model may not know. */
function hiddenTool(scope: GateScope, name: string): RetryOutcome {
  const isFree = !scope.calledHiddenTools.has(name);
  scope.calledHiddenTools.add(name);
  return {
    kind: 'retry',
    content: `The tool '${name}' is not available yet. Search for it, and call it when you have seen it.`,
    isFree,
  };
}

function unknownTool(scope: GateScope, name: string): RetryOutcome {
  const visible = [...scope.tools.values()].filter((tool) => !tool.definition.deferLoading);
  const names = [
    ...visible.map((tool) => tool.definition.name),
    ...scope.outputPlan.tools.keys(),
  ].toSorted();
  const available =
    names.length > 0
      ? `These are available: ${names.map((known) => `'${known}'`).join(', ')}.`
      : 'There are no tools.';
  return { kind: 'retry', content: `There is no tool '${name}'. ${available}` };
}
