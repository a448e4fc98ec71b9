import type { ArgsValidation } from '../capabilities/capability.ts';
import { compose, type HookSet } from '../capabilities/hook-set.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import { UserError } from '../errors/user-errors.ts';
import {
  type JsonObject,
  type JsonValue,
  deepFreeze,
  frozenCopy,
  isSameJson,
  toFrozenJson,
} from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { GateCandidate, ToolInContext } from './gate-scope.ts';
import {
  type DecidedOutcome,
  type DeferredOutcome,
  type FailedOutcome,
  outcomeOfThrown,
  type RetryOutcome,
} from '../outcomes/outcome.ts';

/** A call that does not execute. The outcome contains the reason. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly outcome: RetryOutcome | FailedOutcome | DecidedOutcome;
  /** False if the arguments were rejected. */
  readonly argsValid: boolean;
}

/** Arguments that passed validation. They are frozen. */
export interface ValidatedArgs extends CheckedArgs {
  readonly kind: 'validated';
  /** Set if a validator or a hook defers the call. */
  readonly deferral?: DeferredOutcome | undefined;
  /** The arguments that were validated, if hooks changed those that were sent. */
  readonly changedArgs?: JsonObject | undefined;
}

/** A validated value that the approver was shown and the decision binds. It is not validated again. */
export interface BoundArgs {
  readonly ok: true;
  readonly value: JsonValue;
}

/** The result of validating arguments. */
export type ValidationResult = ValidatedArgs | Rejected;

type ValidationCandidate = Omit<GateCandidate, 'callState'>;

/**
 * Validates arguments with the tool's schema and its own validator, and freezes them. Hooks of the run are around
 * both, and may change the arguments before.
 *
 * Errors that the validator throws are rethrown. A bound value replaces the result of the schema.
 */
export function validateArgs(
  candidate: ValidationCandidate,
  bound?: BoundArgs,
): Promise<ValidationResult> {
  const { wrapToolValidation: hooks } = candidate.scope.hooks;
  return hooks === undefined
    ? validateWithTool(candidate, candidate.sentArgs, bound)
    : validateArgsWithHooks(hooks, candidate, bound);
}

async function validateWithTool(
  { tool, ctx, parent }: ToolInContext,
  args: JsonObject,
  bound: BoundArgs | undefined,
): Promise<ValidationResult> {
  const checked = await parent.guard(bound ?? tool.check(args));
  if (!checked.ok) return reject({ kind: 'retry', content: checked.issues }, false);
  // A copy, because the schema may retain and change its result.
  const validated: ValidatedArgs = { kind: 'validated', args: frozenCopy(checked.value) };
  try {
    await parent.guard(tool.validate(validated.args, ctx));
    return validated;
  } catch (thrown) {
    const outcome = outcomeOfThrown(thrown);
    if (outcome.kind === 'error' || outcome.kind === 'parked') throw thrown;
    return outcome.kind === 'deferred'
      ? { ...validated, deferral: outcome }
      : reject(outcome, false);
  }
}

type ValidationHooks = NonNullable<HookSet['wrapToolValidation']>;

async function validateArgsWithHooks(
  hooks: ValidationHooks,
  candidate: ValidationCandidate,
  bound: BoundArgs | undefined,
): Promise<ValidationResult> {
  const { tool, ctx, parent } = candidate;
  const { call, approval } = candidate.request;
  const { definition } = tool;
  const sent = deepFreeze(candidate.sentArgs);
  /** The latest result, while hooks may still change it. */
  let last: ValidationResult | undefined;
  /** Set if a hook defers the call: no other hook can overrule that. */
  let deferral: DeferredOutcome | undefined;
  let isOver = false;

  const check = async (given: JsonObject): Promise<ValidationResult> => {
    // An object stays an object.
    const passed = given === sent ? sent : (toFrozenJson(given, 'args') as JsonObject);
    const isSame = passed === sent || isSameJson(passed, sent);
    const result = await validateWithTool(candidate, passed, isSame ? bound : undefined);
    const known =
      isSame || result.kind === 'rejected' ? result : { ...result, changedArgs: passed };
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
      last = reject(outcome, false);
    } else {
      last = BLOCKED_BY_HOOK;
    }
  };

  const validating = compose<ValidationHooks[number], JsonObject, ArgsValidation>(
    hooks,
    sent,
    async (hook, given, next) => {
      try {
        await hook({ call, definition, args: given }, next, ctx);
      } catch (thrown) {
        await recordThrown(thrown);
        throw thrown;
      }
      return asValidation(last ?? BLOCKED_BY_HOOK);
    },
    async (given) => asValidation(await check(given)),
  );
  try {
    await parent.guard(validating);
  } catch (thrown) {
    const { kind } = outcomeOfThrown(thrown);
    if (kind === 'error' || kind === 'parked') throw thrown;
  } finally {
    isOver = true;
  }

  const result = last ?? BLOCKED_BY_HOOK;
  if (result.kind === 'rejected') return result;
  if (result.changedArgs !== undefined && approval !== undefined) throw changedAfterApproval(call);
  return deferral === undefined ? result : { ...result, deferral };
}

function changedAfterApproval({ toolName }: ToolCallPart): UserError {
  return new UserError(
    `A capability changes the arguments of tool \`${toolName}\` after they were approved, so nothing was executed. ` +
      'Leave the arguments unchanged if `ctx.toolCallApproved` is true.',
  );
}

function asValidation(result: ValidationResult): ArgsValidation {
  if (result.kind === 'validated') return { ok: true, args: frozenCopy(result.args) };
  const { outcome } = result;
  if (outcome.kind === 'retry') return { ok: false, problem: outcome.content };
  return {
    ok: false,
    problem: outcome.kind === 'failed' ? outcome.message : 'This call is not allowed.',
  };
}

/** Rejects a call. */
export function reject(outcome: Rejected['outcome'], argsValid: boolean): Rejected {
  return { kind: 'rejected', outcome, argsValid };
}

const BLOCKED_BY_HOOK = reject({ kind: 'retry', content: 'This call is not allowed.' }, false);
