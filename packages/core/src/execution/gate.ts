import { Cancellation } from '../context/cancellation.ts';
import { Context } from '../context/context.ts';
import { deepFreeze } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { issuePermit, type Permit } from '../tools/permit.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { type FailedOutcome, outcomeOfThrown, type RetryOutcome } from './outcome.ts';
import { parseArgs } from './parse-args.ts';
import type { ExecutionScope } from './scope.ts';

/** What the gate says to a call. */
export type Admission = Permitted | Refused;

/** The call may run, once. */
export interface Permitted {
  readonly kind: 'permitted';
  readonly permit: Permit;
  readonly tool: ToolsetTool<never>;
  readonly ctx: Context<never>;
  /** Cancelled when the call is no longer wanted. */
  readonly cancellation: Cancellation;
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
 * The tool is looked up, the arguments are parsed, checked and frozen, and only then there is a
 * permit for this call with these arguments. Errors of a tool's validator are thrown.
 */
export async function admit(
  scope: ExecutionScope,
  call: ToolCallPart,
  parent: Cancellation,
): Promise<Admission> {
  const tool = scope.tools.get(call.toolName);
  if (tool === undefined) return refuse(unknownTool(scope, call.toolName), false);
  const parsed = parseArgs(call.args);
  if (!parsed.ok) return refuse({ kind: 'retry', content: parsed.issues }, false);
  const checking = tool.check(parsed.value);
  const checked = checking instanceof Promise ? await checking : checking;
  if (!checked.ok) return refuse({ kind: 'retry', content: checked.issues }, false);
  const args = deepFreeze(checked.value);
  const cancellation = new Cancellation(parent);
  const ctx = new Context(scope, {
    toolName: call.toolName,
    toolCallId: call.toolCallId,
    retry: scope.counter.of(call.toolName),
    maxRetries: tool.maxRetries ?? scope.toolRetries,
    cancellation,
  });
  try {
    const validating = tool.validate(args, ctx);
    if (validating !== undefined) await validating;
  } catch (thrown) {
    const outcome = outcomeOfThrown(thrown);
    if (outcome.kind === 'error') throw thrown;
    return refuse(outcome, outcome.kind !== 'retry');
  }
  return { kind: 'permitted', permit: issuePermit(call, args), tool, ctx, cancellation };
}

function refuse(outcome: RetryOutcome | FailedOutcome, argsValid: boolean): Refused {
  return { kind: 'refused', outcome, argsValid };
}

function unknownTool(scope: ExecutionScope, name: string): RetryOutcome {
  const names = [...scope.tools.keys(), ...scope.outputPlan.tools.keys()].toSorted();
  const available =
    names.length > 0
      ? `These are available: ${names.map((known) => `'${known}'`).join(', ')}.`
      : 'There are no tools.';
  return { kind: 'retry', content: `There is no tool '${name}'. ${available}` };
}
