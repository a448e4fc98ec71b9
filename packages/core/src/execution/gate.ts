import type { Cancellation } from '../context/cancellation.ts';
import { CallScope } from '../context/call-scope.ts';
import { chain, later, type MaybePromise } from '../context/chain.ts';
import { Context } from '../context/context.ts';
import { UserError } from '../errors/user-error.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { JsonObject } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { isDeferred } from '../models/tool-definition.ts';
import { isAgentTool } from '../tools/agent-tools.ts';
import { parseArgs } from '../tools/parse-args.ts';
import type { EntryState } from '../ledger/ledger.ts';
import { issuePermit, type Permit } from '../tools/permit.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import type { Approval } from './approval.ts';
import { type ClaimPlan, claimPlan, runsOnce } from './claim.ts';
import { outcomeOfDoubt } from './claimed-call.ts';
import { describeCall, driftOf, withArgs } from './describe-call.ts';
import {
  type DeferredOutcome,
  type FinalOutcome,
  type RetryOutcome,
  toolReturn,
} from './outcome.ts';
import type { ExecutionScope } from './scope.ts';
import { fromStored } from './stored-outcome.ts';
import { type Resumption, resumeWith } from './sub-run.ts';
import {
  type LookedAt,
  type Refused,
  refuse,
  type Verified,
  verify,
  verifyInside,
} from './verify-args.ts';

/** A call that wants to run. */
export interface CallAtGate {
  readonly call: ToolCallPart;
  /** Somebody has approved the call. */
  readonly approval?: Approval | undefined;
  /** The call is to an agent whose run goes on. */
  readonly resumption?: Resumption | undefined;
}

/** What the gate says to a call. */
export type Admission<At extends CallAtGate = CallAtGate> =
  | Permitted<At>
  | Deferred
  | Refused
  | Known;

/** The call may run, once. Only the gate can say so. */
export type Permitted<At extends CallAtGate = CallAtGate> = PermittedCall<At>;

/**
 * A class: literals that outlive collections of garbage V8 comes to make among the old objects, where each
 * keeps what it refers to until everything is collected. For 10,000 calls at once that was 25 MB to copy
 * each time, where these are 14.
 */
class PermittedCall<out At extends CallAtGate> {
  readonly kind = 'permitted';
  /** The call as it came to the gate. */
  readonly at: At;
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  readonly scope: CallScope;
  readonly permit: Permit;
  /** What is to run, before it was validated, where that is not what the model sent. */
  readonly changedArgs: JsonObject | undefined;
  /** How the call is claimed before it runs, where a ledger keeps what was run. */
  readonly plan: ClaimPlan | undefined;

  constructor({ scope, at, tool, ctx, callScope }: Candidate<At>, verified: Verified) {
    this.at = at;
    this.tool = tool;
    this.ctx = ctx;
    this.scope = callScope;
    this.permit = issuePermit(tool.executor, at.call, verified.args);
    this.changedArgs = changedArgsOf(at, verified);
    this.plan = planClaim(scope, tool, at);
  }
}

/** The call is in order, but somebody else has to answer it. */
export interface Deferred {
  readonly kind: 'deferred';
  readonly outcome: DeferredOutcome;
  readonly checked: CheckedArgs;
  readonly details: CallDetails | undefined;
}

/** The call has its outcome already, which a ledger has kept. */
export interface Known {
  readonly kind: 'known';
  readonly outcome: FinalOutcome;
}

/**
 * The gate: every tool call of a run passes here, and nothing else issues permits.
 *
 * The tool is looked up, the arguments are parsed, checked and frozen, it is settled whether somebody
 * has to answer first, and only then there is a permit for this call with these arguments. Errors of a
 * tool's validator are thrown. `caller`: the call of a tool that has made this one.
 */
export function admit<At extends CallAtGate>(
  scope: ExecutionScope,
  at: At,
  parent: Cancellation,
  caller?: CallScope,
): MaybePromise<Admission<At>>;
export function admit(
  scope: ExecutionScope,
  at: CallAtGate,
  parent: Cancellation,
  caller?: CallScope,
): MaybePromise<Admission> {
  const { call, approval, resumption } = at;
  const tool = scope.tools.get(call.toolName);
  if (tool === undefined) return refuse(unknownTool(scope, call.toolName), false);
  if (tool.definition.deferLoading) return refuse(hiddenTool(scope, call.toolName), false);
  const parsed = parseArgs(approval?.overrideArgs ?? approval?.asked?.args ?? call.args);
  if (!parsed.ok) return refuse({ kind: 'retry', content: parsed.issues }, false);
  const facts = {
    call,
    response: scope.lastResponse,
    retry: scope.counter.of(call.toolName),
    maxRetries: tool.maxRetries ?? scope.toolRetries,
    // A call to an agent that goes on was let through when it began.
    approval: approval ?? (resumption && {}),
  };
  const callScope = new CallScope(facts, parent, caller);
  const ctx = new Context<never>(scope, callScope);
  const candidate = { scope, at, tool, ctx, callScope, parent };
  const hooks = scope.hooks.aroundToolValidation;
  const waits = isDeferred(tool.definition) && approval === undefined && resumption === undefined;
  const verifying =
    hooks === undefined
      ? verify(candidate, parsed.value, waits)
      : verifyInside(hooks, candidate, parsed.value);
  return verifying instanceof Promise
    ? later(verifying, afterVerification, candidate)
    : afterVerification(verifying, candidate);
}

/** A call that the gate is looking at. */
interface Candidate<out At extends CallAtGate = CallAtGate> extends LookedAt {
  readonly scope: ExecutionScope;
  readonly at: At;
  readonly callScope: CallScope;
}

function afterVerification(
  verified: Verified | Refused,
  candidate: Candidate,
): MaybePromise<Admission> {
  if (verified.kind === 'refused') return verified;
  const { resumption } = candidate.at;
  if (resumption !== undefined) {
    resumeWith(candidate.callScope, resumption);
    return new PermittedCall(candidate, verified);
  }
  const deciding = decide(candidate, verified);
  return deciding instanceof Promise
    ? later(deciding, afterDecision, candidate, verified)
    : afterDecision(deciding, candidate, verified);
}

function afterDecision(
  outcome: DeferredOutcome | undefined,
  candidate: Candidate,
  verified: Verified,
): MaybePromise<Admission> {
  if (outcome !== undefined) return deferWith(candidate, verified, outcome);
  if (candidate.at.approval?.asked === undefined) return new PermittedCall(candidate, verified);
  const reading = entryOf(candidate);
  return reading instanceof Promise
    ? later(reading, afterReading, candidate, verified)
    : afterReading(reading, candidate, verified);
}

/** What a ledger knows comes before what has become of the tool. */
function afterReading(
  entry: EntryState | undefined,
  candidate: Candidate,
  verified: Verified,
): MaybePromise<Admission> {
  const known = entry && admitKnown(candidate, verified, entry);
  if (known !== undefined) return known;
  // Only what was approved was looked up.
  const drifting = driftOf(candidate, verified, candidate.at.approval!);
  return drifting instanceof Promise
    ? later(drifting, afterDrift, candidate, verified)
    : afterDrift(drifting, candidate, verified);
}

/** What a ledger knows of an approved call. */
function entryOf({ scope, at, tool, parent }: Candidate): MaybePromise<EntryState | undefined> {
  const plan = planClaim(scope, tool, at);
  return plan && parent.wait(scope.claims?.ledger.read(plan.key));
}

/**
 * What has run has its outcome, and what may have run is asked about, whatever has become of the tool
 * since. `undefined`: nothing is known that would keep the call from running.
 */
function admitKnown(
  candidate: Candidate,
  verified: Verified,
  entry: EntryState,
): MaybePromise<Admission> | undefined {
  const { tool } = candidate;
  const { call, approval } = candidate.at;
  if (entry.state === 'settled') {
    return { kind: 'known', outcome: fromStored(entry.outcome, call) };
  }
  const { onInDoubt = 'ask' } = tool.definition;
  if (entry.state !== 'doubt' || onInDoubt === 'retry') return undefined;
  // Whoever approved it knew of this attempt.
  if (approval?.asked?.inDoubt?.attempt === entry.claim.attempt) return undefined;
  const outcome = outcomeOfDoubt(call, onInDoubt, entry);
  return outcome.kind === 'deferred'
    ? deferWith(candidate, verified, outcome)
    : { kind: 'known', outcome };
}

function deferWith(
  candidate: Candidate,
  verified: Verified,
  outcome: DeferredOutcome,
): MaybePromise<Deferred> {
  const changed = changedArgsOf(candidate.at, verified);
  const describing = outcome.as === 'approval' ? describeCall(candidate, verified) : undefined;
  return describing instanceof Promise
    ? later(describing, deferredCall, outcome, verified, changed)
    : deferredCall(describing, outcome, verified, changed);
}

function deferredCall(
  details: CallDetails | undefined,
  outcome: DeferredOutcome,
  checked: CheckedArgs,
  changedArgs: JsonObject | undefined,
): Deferred {
  return { kind: 'deferred', outcome, checked, details: withArgs(details, changedArgs) };
}

/** What is to run, where that is not what the model sent. */
function changedArgsOf(
  { approval }: CallAtGate,
  { changedArgs }: Verified,
): JsonObject | undefined {
  return changedArgs ?? approval?.overrideArgs ?? approval?.asked?.args;
}

/** Which calls are claimed: those that were approved, and those of tools that run once. Agents claim their own. */
function planClaim(
  { claims }: ExecutionScope,
  { definition, executor }: ToolsetTool<never>,
  { call, approval }: CallAtGate,
): ClaimPlan | undefined {
  const once = runsOnce(claims, definition);
  if (approval === undefined && !once) return undefined;
  if (claims !== undefined) {
    if (isAgentTool(executor)) return undefined;
    const isAnswered = approval !== undefined;
    // What another tool has called is part of its call, unless the tool itself says that it runs once.
    if (!isAnswered && !definition.once && !claims.isOfModel(call)) return undefined;
    return claimPlan(claims, call, { asked: approval?.asked, isAnswered, once });
  }
  if (!once) return undefined;
  throw new UserError(
    `'${definition.name}' is to run once, which only a ledger can see to. Give the agent or the run a ledger.`,
  );
}

/** Where the tool is not the one that the call was approved for, somebody is asked again, or it does not run. */
function afterDrift(
  drifted: CallDetails | undefined,
  candidate: Candidate,
  verified: Verified,
): Permitted | Deferred | Refused {
  if (drifted === undefined) return new PermittedCall(candidate, verified);
  const { scope, at } = candidate;
  if (scope.onDrift === 'ask') {
    const changed = changedArgsOf(at, verified);
    return deferredCall(drifted, DEFERRED.approval, verified, changed);
  }
  const message = 'The tool has changed since the call was approved, so it was not run.';
  return refuse(
    { kind: 'answered', result: { part: toolReturn(at.call, message, 'denied') } },
    true,
  );
}

/** Whether somebody else has to answer this call. */
function decide(
  candidate: Candidate,
  verified: Verified,
): MaybePromise<DeferredOutcome | undefined> {
  const { tool, parent } = candidate;
  const { approval } = candidate.at;
  const { deferral: byValidator } = verified;
  const { kind, name } = tool.definition;
  if (kind === 'external') {
    if (approval === undefined) return deferredAs('external', byValidator);
    throw new UserError(
      `'${name}' is external: it cannot be approved, only answered with a result.`,
    );
  }
  if (kind === 'unapproved' && approval === undefined) {
    return deferredAs('approval', byValidator);
  }
  if (byValidator !== undefined || approval !== undefined) return byValidator;
  return chain(parent.wait(tool.needsApproval(verified.args, candidate.ctx)), approvalIf);
}

function approvalIf(needed: boolean): DeferredOutcome | undefined {
  return needed ? DEFERRED.approval : undefined;
}

const DEFERRED: Readonly<Record<DeferredOutcome['as'], DeferredOutcome>> = Object.freeze({
  approval: Object.freeze({ kind: 'deferred', as: 'approval' }),
  external: Object.freeze({ kind: 'deferred', as: 'external' }),
});

/** A call that always waits, with what its validator has said about it. */
function deferredAs(
  as: DeferredOutcome['as'],
  byValidator: DeferredOutcome | undefined,
): DeferredOutcome {
  const metadata = byValidator?.metadata;
  return metadata === undefined ? DEFERRED[as] : { kind: 'deferred', as, metadata };
}

/** A tool that nothing has surfaced yet. The first time, nobody could have told the model. */
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
