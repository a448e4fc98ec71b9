import type { RunContext } from '../context/run-context.ts';
import { checkOptions, type OptionTable, passInstead } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ModelRetry } from '../tools/signals.ts';
import {
  type ApprovalDecision,
  type ExternalResult,
  isUndecided,
  ToolApproved,
  ToolDenied,
  ToolInput,
} from './decisions.ts';
import type { DeferredToolHandler } from './handlers.ts';
import type { DeferredToolRequests } from './requests.ts';
import { DeferredToolResults } from './results.ts';

/** A rule of {@link decideByRules}: the calls that it matches, and the decision about them. */
export interface DecisionRule<in Deps = unknown> {
  /** The name of a tool, a list of names, or a function that returns true for the calls to match. */
  readonly tool: string | readonly string[] | ((call: ToolCallPart) => boolean);
  /**
   * Restricts the rule to calls with certain arguments. It receives the arguments as the tool will receive them, if
   * the run has validated them.
   */
  readonly args?: ((args: unknown, call: ToolCallPart) => boolean) | undefined;
  /**
   * The decision about a call that needs approval, the result of an external call, or a function that returns either.
   * Wrap a result that is `true` or `false` in a `ToolReturn`, so that it cannot be mistaken for an approval.
   */
  readonly decision: RuleDecision | RuleFunction<Deps>;
}

/** A decision about a call that needs approval, or the result of an external call. */
export type RuleDecision = ApprovalDecision | ExternalResult;

/** Decides one call. */
export type RuleFunction<in Deps = unknown> = (
  call: ToolCallPart,
  args: unknown,
  ctx: RunContext<Deps>,
) => RuleDecision | Promise<RuleDecision>;

/**
 * Returns a handler that decides each call by the first rule that matches. Calls that no rule matches stay pending.
 *
 * Calls are decided one after the other, approvals first. An error that a rule throws ends the run. A missing decision,
 * or one of the wrong kind, is a `UserError`.
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
  if (!Array.isArray(rules)) {
    throw new UserError(
      `The rules of \`decideByRules\` are ${showValue(rules)}. ${passInstead(rules, 'a list')}`,
    );
  }
  for (const [index, rule] of rules.entries()) checkRule(rule, index);
  const fixed = rules.map((rule) => ({ ...rule }));
  return async (requests, ctx) => {
    const match = (call: ToolCallPart) => matchRule(fixed, call, requests);
    const approvals = requests.approvals.flatMap(match);
    const calls = requests.calls.flatMap(match);
    // Constant decisions are validated before the first function of a rule is called.
    for (const one of approvals)
      if (typeof one.decision !== 'function') requireApprovalDecision(one.decision, one);
    for (const one of calls)
      if (typeof one.decision !== 'function') requireExternalResult(one.decision, one);

    const results = new DeferredToolResults();
    for (const one of approvals) {
      const decision = await decide(one, requests, ctx);
      results.approvals[one.call.toolCallId] = requireApprovalDecision(decision, one);
    }
    for (const one of calls) {
      const decision = await decide(one, requests, ctx);
      results.calls[one.call.toolCallId] = requireExternalResult(decision, one);
    }
    return results;
  };
}

/** A call with the decision of the rule that matches it. */
interface MatchedCall<Deps> {
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
      `The \`tool\` of rule ${index} is neither a name, a list of names nor a function. Pass one of them.`,
    );
  }
  // A lookup that found nothing must not let the rule match all arguments.
  if ('args' in rule && typeof args !== 'function') {
    throw new UserError(
      `The \`args\` of rule ${index} are not a function. Pass one that returns true for the arguments to match, or leave ` +
        '`args` out to match all of them.',
    );
  }
  if (decision === undefined) {
    throw new UserError(
      `Rule ${index} has no \`decision\`. Pass true, false, a result, or a function that returns one of them.`,
    );
  }
}

/** Returns the call with the decision of the first rule that matches; an empty list if none does. */
function matchRule<Deps>(
  rules: readonly DecisionRule<Deps>[],
  call: ToolCallPart,
  requests: DeferredToolRequests,
): MatchedCall<Deps>[] {
  const rule = rules.find(
    ({ tool, args }) =>
      matchesTool(tool, call) &&
      (args === undefined || requireRuleResult(args(requests.get(call).args, call))),
  );
  return rule === undefined ? [] : [{ call, decision: rule.decision }];
}

function matchesTool(tool: DecisionRule['tool'], call: ToolCallPart): boolean {
  if (typeof tool === 'function') return requireRuleResult(tool(call));
  return typeof tool === 'string' ? tool === call.toolName : tool.includes(call.toolName);
}

/** Returns the result of `tool` or `args` of a rule. A promise or another truthy value must not match. */
function requireRuleResult(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new UserError(
    'A function in `tool` or `args` of a rule returned neither true nor false, so it is unclear whether the rule matches. ' +
      'Return a boolean. These functions cannot be async: use a function as `decision` for lookups.',
  );
}

async function decide<Deps>(
  { call, decision }: MatchedCall<Deps>,
  requests: DeferredToolRequests,
  ctx: RunContext<Deps>,
): Promise<RuleDecision> {
  if (typeof decision !== 'function') return decision;
  // An aborted run needs no further decisions.
  ctx.signal.throwIfAborted();
  return decision(call, requests.get(call).args, ctx);
}

function requireApprovalDecision(
  decision: RuleDecision,
  { call }: MatchedCall<never>,
): ApprovalDecision {
  const isRetry = decision instanceof ModelRetry;
  if (isDecision(decision) || isRetry || isUndecided(decision)) return decision;
  throw new UserError(
    `${callLabel(call)} needs approval, but the \`decision\` of its rule is ${decision === undefined ? 'missing' : 'a result'}. ` +
      'Pass true, false, `ToolApproved`, `ToolDenied`, `ModelRetry`, `ToolExpired` or `ToolSuperseded`.',
  );
}

function requireExternalResult(
  decision: RuleDecision,
  { call }: MatchedCall<never>,
): ExternalResult {
  if (decision !== undefined && !isDecision(decision)) return decision;
  throw new UserError(
    `${callLabel(call)} is external, but the \`decision\` of its rule is ` +
      `${decision === undefined ? 'missing' : 'an approval or a denial'}. ` +
      'Pass the result. Wrap a result that is true or false in a `ToolReturn`.',
  );
}

function isDecision(
  decision: RuleDecision,
): decision is boolean | ToolApproved | ToolDenied | ToolInput {
  return (
    typeof decision === 'boolean' ||
    decision instanceof ToolApproved ||
    decision instanceof ToolDenied ||
    decision instanceof ToolInput
  );
}

function callLabel({ toolCallId, toolName }: ToolCallPart): string {
  return `Tool call \`${toolCallId}\` (${toolName})`;
}
