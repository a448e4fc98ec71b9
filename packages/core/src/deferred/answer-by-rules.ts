import type { RunContext } from '../context/run-context.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import {
  type ApprovalDecision,
  type ExternalResult,
  isUndecided,
  ToolApproved,
  ToolDenied,
} from './answers.ts';
import type { DeferredToolHandler } from './handler.ts';
import type { DeferredToolRequests } from './requests.ts';
import { DeferredToolResults } from './results.ts';

/**
 * Which calls a rule is about, and how it answers them.
 *
 * `args` are the arguments as the tool will get them, where the run knows them.
 */
export interface DecisionRule<in Deps = unknown> {
  /** The name of a tool, some names, or a function that picks calls. */
  readonly tool: string | readonly string[] | ((call: ToolCallPart) => boolean);
  /** Picks among those calls by their arguments; all of them without it. */
  readonly args?: ((args: unknown, call: ToolCallPart) => boolean) | undefined;
  /**
   * The decision, or a function that gives it: of the kind that the call waits for. A result that is
   * `true` or `false` is given as a `ToolReturn`, so that it cannot be mistaken for an approval.
   */
  readonly decision: RuleDecision | RuleFunction<Deps>;
}

/** An decision of a rule: to a call that waits for approval, or to one whose result comes from elsewhere. */
export type RuleDecision = ApprovalDecision | ExternalResult;

/** Answers one call. */
export type RuleFunction<in Deps = unknown> = (
  call: ToolCallPart,
  args: unknown,
  ctx: RunContext<Deps>,
) => RuleDecision | Promise<RuleDecision>;

/**
 * A handler that answers each call by the first rule that matches; calls that no rule matches stay open.
 *
 * Calls are answered one after the other, approvals first. What a rule throws ends the run; an decision
 * of the wrong kind, and none, is a `UserError`.
 *
 * @example
 * ```ts
 * decideByRules([
 *   { tool: 'read_file', decision: true },
 *   { tool: 'delete_file', args: (args) => isTemporary(args), decision: true },
 *   { tool: 'delete_file', decision: new ToolDenied('Only temporary files.') },
 * ]);
 * ```
 */
export function decideByRules<Deps = unknown>(
  rules: readonly DecisionRule<Deps>[],
): DeferredToolHandler<Deps> {
  for (const [index, rule] of rules.entries()) checkRule(rule, index);
  const fixed = rules.map((rule) => ({ ...rule }));
  return async (requests, ctx) => {
    const match = (call: ToolCallPart) => matched(fixed, call, requests);
    const approvals = requests.approvals.flatMap(match);
    const calls = requests.calls.flatMap(match);
    // What can be wrong without asking anybody is found before anybody is asked.
    for (const one of approvals)
      if (typeof one.decision !== 'function') asApproval(one.decision, one);
    for (const one of calls) if (typeof one.decision !== 'function') asResult(one.decision, one);

    const results = new DeferredToolResults();
    for (const one of approvals) {
      const decision = await answerOf(one, requests, ctx);
      results.approvals[one.call.toolCallId] = asApproval(decision, one);
    }
    for (const one of calls) {
      const decision = await answerOf(one, requests, ctx);
      results.calls[one.call.toolCallId] = asResult(decision, one);
    }
    return results;
  };
}

/** A call and the decision of its rule. */
interface Matched<Deps> {
  readonly call: ToolCallPart;
  readonly decision: DecisionRule<Deps>['decision'];
}

const RULE: OptionTable<DecisionRule> = { tool: 'any', args: 'any', decision: 'any' };

function checkRule(rule: DecisionRule<never>, index: number): void {
  checkOptions(`rule ${index}`, rule, RULE);
  const { tool, args, decision } = rule;
  const picksTools =
    typeof tool === 'string' ||
    typeof tool === 'function' ||
    (Array.isArray(tool) && tool.every((name) => typeof name === 'string'));
  if (!picksTools) {
    throw new UserError(
      `The tool of rule ${index} is neither a name, a list of names nor a function. Give one of them.`,
    );
  }
  if (args !== undefined && typeof args !== 'function') {
    throw new UserError(
      `The args of rule ${index} are not a function that picks calls. Give one: (args) => true or false.`,
    );
  }
  if (decision === undefined) {
    throw new UserError(
      `Rule ${index} has no decision. Give true, false, a result, or a function that answers.`,
    );
  }
}

/** The call with the first rule that matches; nothing if none does. */
function matched<Deps>(
  rules: readonly DecisionRule<Deps>[],
  call: ToolCallPart,
  requests: DeferredToolRequests,
): Matched<Deps>[] {
  const rule = rules.find(
    ({ tool, args }) =>
      picks(tool, call) && (args === undefined || said(args(requests.get(call).args, call))),
  );
  return rule === undefined ? [] : [{ call, decision: rule.decision }];
}

function picks(tool: DecisionRule['tool'], call: ToolCallPart): boolean {
  if (typeof tool === 'function') return said(tool(call));
  return typeof tool === 'string' ? tool === call.toolName : tool.includes(call.toolName);
}

/** What a function of a rule said. A promise must not pass for a yes, nor anything else. */
function said(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new UserError(
    'A function that picks calls for a rule gave something else than true or false. ' +
      'It cannot be async: look things up in the function that answers.',
  );
}

async function answerOf<Deps>(
  { call, decision }: Matched<Deps>,
  requests: DeferredToolRequests,
  ctx: RunContext<Deps>,
): Promise<RuleDecision> {
  if (typeof decision !== 'function') return decision;
  // Nobody is asked anything for a run that is over.
  ctx.signal.throwIfAborted();
  return decision(call, requests.get(call).args, ctx);
}

function asApproval(decision: RuleDecision, { call }: Matched<never>): ApprovalDecision {
  if (isDecision(decision) || isUndecided(decision)) return decision;
  throw new UserError(
    `${label(call)} waits for approval, but its rule answers with ${decision === undefined ? 'nothing' : 'a result'}. ` +
      'Answer with true, false, ToolApproved, ToolDenied, ToolExpired or ToolSuperseded.',
  );
}

function asResult(decision: RuleDecision, { call }: Matched<never>): ExternalResult {
  if (decision !== undefined && !isDecision(decision)) return decision;
  throw new UserError(
    `${label(call)} gets its result from somewhere else, but its rule answers with ` +
      `${decision === undefined ? 'nothing' : 'an approval or a denial'}. ` +
      'Answer with the result; one that is true or false goes into a ToolReturn.',
  );
}

function isDecision(decision: RuleDecision): decision is boolean | ToolApproved | ToolDenied {
  return (
    typeof decision === 'boolean' ||
    decision instanceof ToolApproved ||
    decision instanceof ToolDenied
  );
}

function label({ toolCallId, toolName }: ToolCallPart): string {
  return `Tool call '${toolCallId}' (${toolName})`;
}
