import { CallScope } from '../context/call-scope.ts';
import type { Cancellation } from '../context/cancellation.ts';
import { Context } from '../context/context.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import { UserError } from '../errors/user-error.ts';
import { type CallDetails, NO_DETAILS } from '../messages/call-details.ts';
import type { JsonObject } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { isAgentTool } from '../tools/agent-tools.ts';
import { requireDecision } from '../tools/approval-decision.ts';
import { parseArgs, parseLeniently } from '../tools/parse-args.ts';
import { issuePermit, type Permit } from '../tools/permit.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import type { Approval } from './approval.ts';
import { type ClaimPlan, claimPlan, runsOnce } from './claim.ts';
import { outcomeOfDoubt } from './claimed-call.ts';
import { describeCall, withArgs } from './describe-call.ts';
import { hasDrifted } from './drift.ts';
import {
  type DeferredOutcome,
  type FinalOutcome,
  type RetryOutcome,
  toolReturn,
} from './outcome.ts';
import type { ExecutionScope } from './scope.ts';
import { recordedArgs, unshowableArgs } from './shown-args.ts';
import { fromStored } from './stored-outcome.ts';
import { type Resumption, resumeWith } from './sub-run.ts';
import {
  type BoundArgs,
  type Refused,
  refuse,
  type Verified,
  verify,
  verifyInside,
} from './verify-args.ts';
import { isVerified } from './verify-approval.ts';

/** A tool call that is submitted to the gate. */
export interface CallAtGate {
  readonly call: ToolCallPart;
  /** Set if an approver approved the call. */
  readonly approval?: Approval | undefined;
  /** Set if the call resumes a parked sub-agent. */
  readonly resumption?: Resumption | undefined;
}

/** The gate's decision about a call. */
export type Admission<At extends CallAtGate = CallAtGate> =
  | Permitted<At>
  | Deferred
  | Refused
  | Known;

/** The call may execute, once. */
export interface Permitted<out At extends CallAtGate = CallAtGate> {
  readonly kind: 'permitted';
  /** The call as it was submitted. */
  readonly at: At;
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  readonly scope: CallScope;
  readonly permit: Permit;
  /** The arguments to execute before validation, if they differ from what the model sent. */
  readonly changedArgs: JsonObject | undefined;
  /** How to claim the call in the ledger before it executes. */
  readonly plan: ClaimPlan | undefined;
}

/** The call is valid, but needs an approval or an external result. */
export interface Deferred {
  readonly kind: 'deferred';
  readonly outcome: DeferredOutcome;
  readonly checked: CheckedArgs;
  readonly details: CallDetails | undefined;
}

/** The ledger already has the outcome of this call. */
export interface Known {
  readonly kind: 'known';
  readonly outcome: FinalOutcome;
}

/**
 * Decides whether a tool call may execute. Every call passes through here, and nothing else issues permits.
 *
 * Errors that a tool's validator throws are rethrown. `caller` is set if another tool made the call.
 */
export async function admit<At extends CallAtGate>(
  scope: ExecutionScope,
  at: At,
  parent: Cancellation,
  caller?: CallScope,
): Promise<Admission<At>> {
  const { call, approval, resumption } = at;

  // Resolve.
  const tool = scope.tools.get(call.toolName);
  if (tool === undefined) return refuse(unknownTool(scope, call.toolName), false);
  if (tool.definition.deferLoading) return refuse(hiddenTool(scope, call.toolName), false);

  // Parse. Edited arguments replace those the model sent.
  const given = approval?.overrideArgs ?? approval?.asked?.args ?? call.args;
  const parsed = tool.definition.kind === 'external' ? parseLeniently(given) : parseArgs(given);
  if (!parsed.ok) return refuse({ kind: 'retry', content: parsed.issues }, false);

  // Validate and freeze.
  const callScope = new CallScope(callFacts(scope, tool, at), parent, caller);
  const ctx = new Context<never>(scope, callScope);
  const sent = parsed.value;
  const candidate: Candidate<At> = { scope, at, tool, ctx, callScope, parent, sent };
  const verified = await validate(candidate, boundArgs(candidate));
  if (verified.kind === 'refused') return verified;

  // A sub-agent that resumes was admitted when it started.
  if (resumption !== undefined) {
    resumeWith(callScope, resumption);
    return permit(candidate, verified);
  }

  // Decide.
  const deferral = await requiredDeferral(candidate, verified);
  if (deferral !== undefined) return defer(candidate, verified, deferral);

  // An approval is valid only for what the approver was shown, and only if the application accepts it.
  if (approval !== undefined) {
    const now = await describeApproved(candidate, verified);
    const approved = { now, approval, sentArgs: sent, requestedArgs: requestedArgs(candidate) };
    const isValid =
      !(await hasDrifted(candidate, approved)) && (await isVerified(candidate, approved));
    if (!isValid) return admitDrifted(candidate);
  }
  return permit(candidate, verified);
}

/** A call on its way through the gate. */
interface Candidate<out At extends CallAtGate = CallAtGate> {
  readonly scope: ExecutionScope;
  readonly at: At;
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  readonly callScope: CallScope;
  readonly parent: Cancellation;
  /** The arguments to execute, before validation. */
  readonly sent: JsonObject;
}

function callFacts(scope: ExecutionScope, tool: ToolsetTool<never>, at: CallAtGate) {
  return {
    call: at.call,
    response: scope.lastResponse,
    retry: scope.counter.of(at.call.toolName),
    maxRetries: tool.maxRetries ?? scope.toolRetries,
    approval: at.approval ?? (at.resumption && {}),
  };
}

/** Validates and freezes the arguments of a call, with the hooks of the run around it. */
function validate(candidate: Candidate, bound?: BoundArgs): Promise<Verified | Refused> {
  const hooks = candidate.scope.hooks.wrapToolValidation;
  return hooks === undefined
    ? verify(candidate, candidate.sent, bound)
    : verifyInside(hooks, candidate, candidate.sent, bound);
}

/** Returns the value that the approver was shown, if the decision binds it. An edit is always validated. */
function boundArgs({ at, sent }: Candidate): BoundArgs | undefined {
  const { asked, overrideArgs, isBound } = at.approval ?? {};
  if (!isBound || asked === undefined || overrideArgs !== undefined) return undefined;
  const args = recordedArgs(asked, sent);
  return args === undefined ? undefined : { args };
}

/** Returns the arguments that were requested, before validation. */
function requestedArgs({ at, sent }: Candidate): JsonObject {
  const { asked, overrideArgs } = at.approval ?? {};
  if (overrideArgs === undefined) return sent;
  const parsed = parseArgs(asked?.args ?? at.call.args);
  return parsed.ok ? parsed.value : sent;
}

function permit<At extends CallAtGate>(
  { scope, at, tool, ctx, callScope }: Candidate<At>,
  verified: Verified,
): Permitted<At> {
  return {
    kind: 'permitted',
    at,
    tool,
    ctx,
    scope: callScope,
    permit: issuePermit(tool.executor, at.call, verified.args),
    changedArgs: changedArgsOf(at, verified),
    plan: planClaim(scope, tool, at),
  };
}

/** Returns the deferral that the call requires, or `undefined` if it may execute. */
async function requiredDeferral(
  { tool, at, ctx, parent }: Candidate,
  verified: Verified,
): Promise<DeferredOutcome | undefined> {
  const { kind, name } = tool.definition;
  const { deferral: byValidator } = verified;
  if (kind === 'external') {
    if (at.approval === undefined) return { ...byValidator, kind: 'deferred', as: 'external' };
    throw new UserError(
      `Tool \`${name}\` is external, so its calls cannot be approved. Pass its result in \`calls\`.`,
    );
  }
  if (kind === 'unapproved' && at.approval === undefined) {
    return { ...byValidator, kind: 'deferred', as: 'approval' };
  }
  if (byValidator !== undefined || at.approval !== undefined) return byValidator;
  const needsApproval = await requireDecision(`The approval check of tool \`${name}\``, () =>
    parent.wait(tool.needsApproval(verified.args, ctx)),
  );
  return needsApproval ? { kind: 'deferred', as: 'approval' } : undefined;
}

async function defer(
  candidate: Candidate,
  verified: Verified,
  outcome: DeferredOutcome,
): Promise<Deferred | Refused> {
  const changedArgs = changedArgsOf(candidate.at, verified);
  if (outcome.as === 'external') {
    return {
      kind: 'deferred',
      outcome,
      checked: verified,
      details: withArgs(undefined, changedArgs),
    };
  }
  const unshowable = unshowableArgs(candidate.tool.definition, verified.args);
  if (unshowable?.isNumber) {
    const { path, what } = unshowable;
    return refuse({ kind: 'retry', content: `${path} is ${what}. Send a finite number.` }, false);
  }
  const described = await describeCall(candidate, verified, changedArgs ?? candidate.sent);
  return {
    kind: 'deferred',
    outcome,
    checked: verified,
    details: withArgs(described, changedArgs),
  };
}

/** Describes an approved call as it would execute now. */
async function describeApproved(candidate: Candidate, verified: Verified): Promise<CallDetails> {
  // A history without a step record says nothing that the call could be compared with.
  if (candidate.at.approval?.asked === undefined && candidate.scope.approvalVerifiers.length === 0)
    return NO_DETAILS;
  return (await describeCall(candidate, verified, candidate.sent)) ?? NO_DETAILS;
}

/**
 * Requests a new approval for a call that is not what its approver was shown, or denies it.
 *
 * An outcome that the ledger has takes precedence, and so does an earlier attempt that is in doubt. The new
 * request shows the arguments as the tool validates them now, not the value that the old decision bound.
 */
async function admitDrifted(candidate: Candidate): Promise<Deferred | Refused | Known> {
  const { scope, at } = candidate;
  const recorded = await recordedOutcome(candidate);
  if (recorded !== undefined && recorded.kind !== 'deferred') {
    return { kind: 'known', outcome: recorded };
  }
  if (recorded === undefined && scope.onDrift === 'deny') {
    const message = 'The call is not what its approver was shown, so it was not executed.';
    const part = toolReturn(at.call, message, 'denied');
    return refuse({ kind: 'answered', result: { part } }, true);
  }
  const verified = await validate(candidate);
  if (verified.kind === 'refused') return verified;
  if (recorded !== undefined) return defer(candidate, verified, recorded);
  const deferred = await defer(candidate, verified, { kind: 'deferred', as: 'approval' });
  if (deferred.kind === 'refused') return deferred;
  const inDoubt = at.approval?.asked?.inDoubt;
  const details = { ...deferred.details, ...(inDoubt && { inDoubt }), drifted: true };
  return { ...deferred, details: Object.freeze(details) };
}

/** Returns the recorded outcome of an approved call, or a deferral if an attempt is in doubt. */
async function recordedOutcome({
  scope,
  at,
  tool,
  parent,
}: Candidate): Promise<FinalOutcome | DeferredOutcome | undefined> {
  const plan = planClaim(scope, tool, at);
  const entry = plan && (await parent.wait(scope.claims?.ledger.read(plan.key)));
  if (entry?.state === 'settled') return fromStored(entry.outcome, at.call);
  const { onInDoubt = 'ask' } = tool.definition;
  if (entry?.state !== 'doubt' || onInDoubt === 'retry') return undefined;
  const wasShown = at.approval?.asked?.inDoubt?.attempt === entry.claim.attempt;
  return wasShown ? undefined : outcomeOfDoubt(at.call, onInDoubt, entry);
}

/** Returns the arguments to execute before validation, if they differ from what the model sent. */
function changedArgsOf(
  { approval }: CallAtGate,
  { changedArgs }: Verified,
): JsonObject | undefined {
  return changedArgs ?? approval?.overrideArgs ?? approval?.asked?.args;
}

/** Returns the claim that the call needs, if any. Sub-agents claim their own calls. */
function planClaim(
  { claims }: ExecutionScope,
  { definition, executor }: ToolsetTool<never>,
  { call, approval }: CallAtGate,
): ClaimPlan | undefined {
  const once = runsOnce(claims, definition);
  const isAnswered = approval !== undefined;
  if (!isAnswered && !once) return undefined;
  if (claims === undefined) {
    if (!once) return undefined;
    throw new UserError(
      `Tool \`${definition.name}\` is marked \`once\`, which requires a ledger. Pass \`ledger\` to the agent or the run.`,
    );
  }
  if (isAgentTool(executor)) return undefined;
  // A call made by another tool is part of that tool's execution, unless the tool itself is marked `once`.
  if (!isAnswered && !definition.once && !claims.isOfModel(call)) return undefined;
  return claimPlan(claims, call, { asked: approval?.asked, isAnswered, once });
}

/** Rejects a call to a hidden tool. The first one does not count as a retry: the model may not know. */
function hiddenTool(scope: ExecutionScope, name: string): RetryOutcome {
  const isFree = !scope.toldHidden.has(name);
  scope.toldHidden.add(name);
  return {
    kind: 'retry',
    content: `The tool '${name}' is not available yet. Search for it, and call it when you have seen it.`,
    isFree,
  };
}

function unknownTool(scope: ExecutionScope, name: string): RetryOutcome {
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
