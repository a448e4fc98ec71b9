import { compose } from '../capabilities/compose.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import type { ArgsValidation } from '../capabilities/hooks.ts';
import type { Cancellation } from '../context/cancellation.ts';
import type { Context } from '../context/context.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import { UserError } from '../errors/user-error.ts';
import {
  deepFreeze,
  frozenCopy,
  type JsonObject,
  type JsonValue,
  toFrozenJson,
} from '../messages/json.ts';
import { isSameJson } from '../messages/same-json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import {
  type AnsweredOutcome,
  type DeferredOutcome,
  type FailedOutcome,
  outcomeOfThrown,
  type RetryOutcome,
} from './outcome.ts';

/** A call that does not execute; the outcome says why. */
export interface Refused {
  readonly kind: 'refused';
  readonly outcome: RetryOutcome | FailedOutcome | AnsweredOutcome;
  /** False if the arguments were rejected. */
  readonly argsValid: boolean;
}

/** Arguments that passed validation. They are frozen. */
export interface Verified extends CheckedArgs {
  readonly kind: 'verified';
  /** Set if a validator or a hook defers the call. */
  readonly deferral?: DeferredOutcome | undefined;
  /** The arguments that were validated, if hooks changed those that were sent. */
  readonly changedArgs?: JsonObject | undefined;
}

/** A call whose arguments are validated or described. */
export interface LookedAt {
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  /** Ends every wait when it is cancelled. */
  readonly parent: Cancellation;
}

/** A validated value that the approver was shown and the decision binds. It is not validated again. */
export interface BoundArgs {
  readonly args: JsonValue;
}

type Verdict = Verified | Refused;

/**
 * Validates arguments with the tool's schema, freezes them, and runs the tool's own validator.
 *
 * Errors that the validator throws are rethrown. A bound value replaces the result of the schema.
 */
export async function verify(looked: LookedAt, args: unknown, bound?: BoundArgs): Promise<Verdict> {
  const { tool, ctx, parent } = looked;
  const checked = bound
    ? ({ ok: true, value: bound.args } as const)
    : await parent.wait(tool.check(args));
  if (!checked.ok) return refuse({ kind: 'retry', content: checked.issues }, false);
  const verified: Verified = { kind: 'verified', args: frozenCopy(checked.value) };
  try {
    await parent.wait(tool.validate(verified.args, ctx));
    return verified;
  } catch (thrown) {
    const outcome = outcomeOfThrown(thrown);
    if (outcome.kind === 'error' || outcome.kind === 'parked') throw thrown;
    return outcome.kind === 'deferred'
      ? { ...verified, deferral: outcome }
      : refuse(outcome, false);
  }
}

/** A call on its way through the validation hooks. */
interface Candidate extends LookedAt {
  readonly at: {
    readonly call: ToolCallPart;
    /** Set if an approver approved the call. */
    readonly approval?: object | undefined;
  };
}

type ValidationHooks = NonNullable<HookSet['wrapToolValidation']>;

/** Validates arguments with hooks around the validation, which may change them before. */
export async function verifyInside(
  hooks: ValidationHooks,
  candidate: Candidate,
  args: JsonObject,
  bound?: BoundArgs,
): Promise<Verdict> {
  const { tool, ctx, parent } = candidate;
  const { call, approval } = candidate.at;
  const { definition } = tool;
  const sent = deepFreeze(args);
  /** The latest verdict, while hooks may still change it. */
  let last: Verdict | undefined;
  /** Set if a hook defers the call: no other hook can overrule that. */
  let deferral: DeferredOutcome | undefined;
  let isOver = false;

  const check = async (given: JsonObject): Promise<Verdict> => {
    // An object stays an object.
    const passed = given === sent ? sent : (toFrozenJson(given, 'args') as JsonObject);
    const isSame = passed === sent || isSameJson(passed, sent);
    const verdict = await verify(candidate, passed, isSame ? bound : undefined);
    const known =
      isSame || verdict.kind === 'refused' ? verdict : { ...verdict, changedArgs: passed };
    if (!isOver) last = known;
    return known;
  };

  /** Records a signal that a hook threw, also if an outer hook swallows it. */
  const recordThrown = async (thrown: unknown): Promise<void> => {
    const outcome = outcomeOfThrown(thrown);
    if (outcome.kind === 'deferred') {
      deferral = outcome;
      if (last === undefined) await check(sent);
    } else if (outcome.kind === 'retry' || outcome.kind === 'failed') {
      last = refuse(outcome, false);
    } else {
      last = NOT_ALLOWED;
    }
  };

  const asked = compose<ValidationHooks[number], JsonObject, ArgsValidation>(
    hooks,
    sent,
    async (hook, given, next) => {
      try {
        await hook({ call, definition, args: given }, next, ctx);
      } catch (thrown) {
        await recordThrown(thrown);
        throw thrown;
      }
      return asValidation(last ?? NOT_ALLOWED);
    },
    async (given) => asValidation(await check(given)),
  );
  try {
    await parent.guard(asked);
  } catch (thrown) {
    const { kind } = outcomeOfThrown(thrown);
    if (kind === 'error' || kind === 'parked') throw thrown;
  } finally {
    isOver = true;
  }

  const verdict = last ?? NOT_ALLOWED;
  if (verdict.kind === 'refused') return verdict;
  if (verdict.changedArgs !== undefined && approval !== undefined) throw changedAfterApproval(call);
  return deferral === undefined ? verdict : { ...verdict, deferral };
}

function changedAfterApproval({ toolName }: ToolCallPart): UserError {
  return new UserError(
    `A capability changes the arguments of tool \`${toolName}\` after they were approved, so nothing was executed. ` +
      'Leave the arguments unchanged if `ctx.toolCallApproved` is true.',
  );
}

function asValidation(verdict: Verdict): ArgsValidation {
  if (verdict.kind === 'verified') return { ok: true, args: frozenCopy(verdict.args) };
  const { outcome } = verdict;
  if (outcome.kind === 'retry') return { ok: false, problem: outcome.content };
  return {
    ok: false,
    problem: outcome.kind === 'failed' ? outcome.message : 'This call is not allowed.',
  };
}

/** Rejects a call. */
export function refuse(outcome: Refused['outcome'], argsValid: boolean): Refused {
  return { kind: 'refused', outcome, argsValid };
}

const NOT_ALLOWED = refuse({ kind: 'retry', content: 'This call is not allowed.' }, false);
