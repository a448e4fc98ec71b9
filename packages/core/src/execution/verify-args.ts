import { compose } from '../capabilities/compose.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import type { Validation } from '../capabilities/hooks.ts';
import type { Cancellation } from '../context/cancellation.ts';
import { later } from '../context/chain.ts';
import type { Context } from '../context/context.ts';
import { UserError } from '../errors/user-error.ts';
import { canonicalJson } from '../ledger/canonical-json.ts';
import { deepFreeze, frozenCopy, type JsonObject, toFrozenJson } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import type { Checked } from '../tools/input-schema.ts';
import { type ToolsetTool, takeAll } from '../toolsets/toolset.ts';
import {
  type AnsweredOutcome,
  type DeferredOutcome,
  type FailedOutcome,
  outcomeOfThrown,
  type RetryOutcome,
} from './outcome.ts';

/** The call does not run; the outcome says why. */
export interface Refused {
  readonly kind: 'refused';
  readonly outcome: RetryOutcome | FailedOutcome | AnsweredOutcome;
  /** `false` if the call itself was wrong: its tool, its arguments, or their validation. */
  readonly argsValid: boolean;
}

/** Arguments that are in order. */
export class Verified implements CheckedArgs {
  readonly kind = 'verified';
  /** A validator or a hook wants somebody else to answer the call. */
  readonly deferral: DeferredOutcome | undefined;
  /** What was checked, where hooks have changed it. */
  readonly changedArgs: JsonObject | undefined;
  #args: unknown;
  #isFrozen = false;

  /** `args`: as the schema has given them. */
  constructor(args: unknown, deferral?: DeferredOutcome, changedArgs?: JsonObject) {
    this.#args = args;
    this.deferral = deferral;
    this.changedArgs = changedArgs;
  }

  /** Nobody may look at the arguments of a call that waits, so they are made ready when somebody does. */
  get args(): unknown {
    if (!this.#isFrozen) {
      this.#args = frozenCopy(this.#args);
      this.#isFrozen = true;
    }
    return this.#args;
  }
}

/** What is needed to look at a call. */
export interface LookedAt {
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  /** What is waited for ends with this. */
  readonly parent: Cancellation;
}

type Verdict = Verified | Refused;

/**
 * Checks arguments against the schema of the tool and with its own validator, whose errors are thrown.
 * `waits`: the call waits whatever comes of it, and is checked again before it runs.
 */
export function verify(
  looked: LookedAt,
  args: unknown,
  waits: boolean,
): Verdict | Promise<Verdict> {
  const checking = looked.parent.wait(looked.tool.check(args));
  return checking instanceof Promise
    ? later(checking, validate, looked, waits)
    : validate(checking, looked, waits);
}

/** Runs the tool's own validator; what it throws to steer the run becomes data. */
function validate(
  checked: Checked<unknown>,
  looked: LookedAt,
  waits: boolean,
): Verdict | Promise<Verdict> {
  const { tool, parent } = looked;
  if (!checked.ok) return refuse({ kind: 'retry', content: checked.issues }, false);
  const verified = new Verified(checked.value);
  // Otherwise they are made ready here and now: nobody gets to change what may run.
  if (waits && tool.validate === takeAll) return verified;
  try {
    const validating = parent.wait(tool.validate(verified.args, looked.ctx));
    return validating instanceof Promise ? whenValidated(validating, verified) : verified;
  } catch (thrown) {
    return verdictOf(thrown, verified);
  }
}

function whenValidated(validating: Promise<unknown>, verified: Verified): Promise<Verdict> {
  return validating.then(
    () => verified,
    (thrown) => verdictOf(thrown, verified),
  );
}

function verdictOf(thrown: unknown, verified: Verified): Verdict {
  const outcome = outcomeOfThrown(thrown);
  if (outcome.kind === 'error' || outcome.kind === 'parked') throw thrown;
  return outcome.kind === 'deferred'
    ? new Verified(verified.args, outcome)
    : refuse(outcome, false);
}

/** A call whose arguments are to be verified. */
interface Candidate extends LookedAt {
  readonly at: {
    readonly call: ToolCallPart;
    /** Somebody has approved the call. */
    readonly approval?: object | undefined;
  };
}

type ValidationHooks = NonNullable<HookSet['aroundToolValidation']>;

/** The same with hooks around it, which may change the arguments before they are checked. */
export async function verifyInside(
  hooks: ValidationHooks,
  candidate: Candidate,
  args: JsonObject,
): Promise<Verdict> {
  const { tool, ctx, parent } = candidate;
  const { call, approval } = candidate.at;
  const sent = deepFreeze(args);
  /** What was checked last, while hooks may still say something. */
  let last: Verdict | undefined;
  /** What a hook wants somebody to answer: no other hook can overrule that. */
  let deferral: DeferredOutcome | undefined;
  let isOver = false;
  const { definition } = tool;
  const check = async (given: JsonObject): Promise<Verdict> => {
    // An object stays one: JSON changes only what is inside.
    const passed = given === sent ? sent : (toFrozenJson(given, 'args') as JsonObject);
    const isSame = passed === sent || canonicalJson(passed) === canonicalJson(sent);
    const verdict = await verify(candidate, passed, false);
    const known =
      isSame || verdict.kind === 'refused'
        ? verdict
        : new Verified(verdict.args, verdict.deferral, passed);
    if (!isOver) last = known;
    return known;
  };
  /** What a hook throws counts, also if another one does not pass it on. */
  const note = async (thrown: unknown): Promise<void> => {
    const outcome = outcomeOfThrown(thrown);
    if (outcome.kind === 'deferred') {
      deferral = outcome;
      if (last === undefined) await check(sent);
    } else if (outcome.kind === 'retry' || outcome.kind === 'failed') {
      last = refuse(outcome, false);
    } else {
      last = NOT_LET_THROUGH;
    }
  };
  const asked = compose<ValidationHooks[number], JsonObject, Validation>(
    hooks,
    sent,
    async (hook, given, next) => {
      try {
        await hook({ call, definition, args: given }, next, ctx);
      } catch (thrown) {
        await note(thrown);
        throw thrown;
      }
      return asValidation(last ?? NOT_LET_THROUGH);
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
  const found = last ?? NOT_LET_THROUGH;
  const verdict =
    found.kind === 'verified' && deferral !== undefined
      ? new Verified(found.args, deferral, found.changedArgs)
      : found;
  const isChanged = verdict.kind === 'verified' && verdict.changedArgs !== undefined;
  if (isChanged && approval !== undefined) throw changedAfterApproval(call);
  return verdict;
}

function changedAfterApproval({ toolName }: ToolCallPart): UserError {
  return new UserError(
    `A capability changes the arguments of '${toolName}' after they were approved. What was approved ` +
      'is what runs: leave the arguments alone where ctx.toolCallApproved is true.',
  );
}

function asValidation(verdict: Verdict): Validation {
  if (verdict.kind === 'verified') return { ok: true, args: frozenCopy(verdict.args) };
  const { outcome } = verdict;
  if (outcome.kind === 'retry') return { ok: false, problem: outcome.content };
  return {
    ok: false,
    problem: outcome.kind === 'failed' ? outcome.message : 'It was not let through.',
  };
}

/** Says no to a call. */
export function refuse(outcome: Refused['outcome'], argsValid: boolean): Refused {
  return { kind: 'refused', outcome, argsValid };
}

const NOT_LET_THROUGH = refuse({ kind: 'retry', content: 'This call is not allowed.' }, false);
