import type { Cancellation } from '../context/cancellation.ts';
import { CallScope } from '../context/call-scope.ts';
import { Context } from '../context/context.ts';
import { UserError } from '../errors/user-error.ts';
import { frozenCopy, type JsonObject } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';
import { issuePermit, type Permit } from '../tools/permit.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import {
  type DeferredOutcome,
  type FailedOutcome,
  outcomeOfThrown,
  type RetryOutcome,
} from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** Somebody's word that a call may run. */
export interface Approval {
  /** Arguments to run with, instead of those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** What came with the approval. */
  readonly metadata?: JsonObject | undefined;
}

/** What the gate says to a call. */
export type Admission = Permitted | Deferred | Refused;

/** The call may run, once. */
export interface Permitted {
  readonly kind: 'permitted';
  readonly permit: Permit;
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  readonly scope: CallScope;
}

/** The call is in order, but somebody else has to answer it. */
export interface Deferred {
  readonly kind: 'deferred';
  readonly outcome: DeferredOutcome;
  /** The validated arguments. */
  readonly args: unknown;
}

/** The call does not run; the outcome says why. */
export interface Refused {
  readonly kind: 'refused';
  readonly outcome: RetryOutcome | FailedOutcome;
  /** Whether what was wrong was the call itself, and not a tool's own decision about it. */
  readonly argsValid: boolean;
}

/**
 * The gate: every tool call of a run passes here, and nothing else issues permits.
 *
 * The tool is looked up, the arguments are parsed, checked and frozen, it is settled whether somebody
 * has to answer first, and only then there is a permit for this call with these arguments. Errors of a
 * tool's validator are thrown.
 */
export async function admit(
  scope: ExecutionScope,
  call: ToolCallPart,
  parent: Cancellation,
  approval?: Approval | undefined,
): Promise<Admission> {
  const tool = scope.tools.get(call.toolName);
  if (tool === undefined) return refuse(unknownTool(scope, call.toolName), false);
  if (tool.definition.deferLoading) return refuse(hiddenTool(scope, call.toolName), false);
  const parsed = parseArgs(approval?.overrideArgs ?? call.args);
  if (!parsed.ok) return refuse({ kind: 'retry', content: parsed.issues }, false);
  const checking = parent.wait(tool.check(parsed.value));
  const checked = checking instanceof Promise ? await checking : checking;
  if (!checked.ok) return refuse({ kind: 'retry', content: checked.issues }, false);
  const args = frozenCopy(checked.value);
  const callScope = new CallScope(parent);
  const ctx = new Context<never>(scope, {
    toolName: call.toolName,
    toolCallId: call.toolCallId,
    retry: scope.counter.of(call.toolName),
    maxRetries: tool.maxRetries ?? scope.toolRetries,
    approved: approval !== undefined,
    approvalMetadata: approval?.metadata,
    scope: callScope,
  });
  const validating = validate(tool, args, ctx, parent);
  const validated = validating instanceof Promise ? await validating : validating;
  if (validated?.kind === 'refused') return validated;
  const deciding = decide(tool, args, ctx, parent, validated, approval);
  const outcome = deciding instanceof Promise ? await deciding : deciding;
  if (outcome !== undefined) return { kind: 'deferred', outcome, args };
  const permit = issuePermit(tool.executor, call, args);
  return { kind: 'permitted', permit, tool, ctx, scope: callScope };
}

type Validated = Refused | DeferredOutcome | undefined;

/** Runs the tool's own validator; what it throws to steer the run becomes data. */
function validate(
  tool: ToolsetTool<never>,
  args: unknown,
  ctx: Context<never>,
  cancellation: Cancellation,
): Validated | Promise<Validated> {
  try {
    const validating = cancellation.wait(tool.validate(args, ctx));
    if (!(validating instanceof Promise)) return undefined;
    return validating.then(() => undefined, validatedByThrowing);
  } catch (thrown) {
    return validatedByThrowing(thrown);
  }
}

function validatedByThrowing(thrown: unknown): Validated {
  const outcome = outcomeOfThrown(thrown);
  if (outcome.kind === 'error') throw thrown;
  return outcome.kind === 'deferred' ? outcome : refuse(outcome, outcome.kind !== 'retry');
}

/** Whether somebody else has to answer this call. */
function decide(
  tool: ToolsetTool<never>,
  args: unknown,
  ctx: Context<never>,
  cancellation: Cancellation,
  byValidator: DeferredOutcome | undefined,
  approval: Approval | undefined,
): DeferredOutcome | undefined | Promise<DeferredOutcome | undefined> {
  const { kind, name } = tool.definition;
  if (kind === 'external') {
    if (approval === undefined) {
      return { kind: 'deferred', as: 'external', ...metadataOf(byValidator) };
    }
    throw new UserError(
      `'${name}' is external: it cannot be approved, only answered with a result.`,
    );
  }
  if (kind === 'unapproved' && approval === undefined) {
    return { kind: 'deferred', as: 'approval', ...metadataOf(byValidator) };
  }
  if (byValidator !== undefined || approval !== undefined) return byValidator;
  const needed = cancellation.wait(tool.needsApproval(args, ctx));
  return needed instanceof Promise ? needed.then(approvalIf) : approvalIf(needed);
}

function approvalIf(needed: boolean): DeferredOutcome | undefined {
  return needed ? { kind: 'deferred', as: 'approval' } : undefined;
}

function metadataOf(outcome: DeferredOutcome | undefined): Pick<DeferredOutcome, 'metadata'> {
  return outcome?.metadata === undefined ? {} : { metadata: outcome.metadata };
}

function refuse(outcome: RetryOutcome | FailedOutcome, argsValid: boolean): Refused {
  return { kind: 'refused', outcome, argsValid };
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
