import type { OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { UsageLimitExceeded } from '../errors/agent-errors.ts';
import type { RunUsage } from './run-usage.ts';

/** Limits of what a run may use. An absent limit does not apply. */
export interface UsageLimits {
  /** The maximum number of model requests. Default: 50. `null`: no limit. */
  readonly requestLimit?: number | null | undefined;
  /** The maximum number of successful executions of function tools. */
  readonly toolCallsLimit?: number | undefined;
  readonly inputTokensLimit?: number | undefined;
  readonly outputTokensLimit?: number | undefined;
  readonly totalTokensLimit?: number | undefined;
}

/** The names of the limits. `checkLimits` validates the values. */
export const LIMITS: OptionTable<UsageLimits> = {
  requestLimit: 'any',
  toolCallsLimit: 'value',
  inputTokensLimit: 'value',
  outputTokensLimit: 'value',
  totalTokensLimit: 'value',
};

const DEFAULT_REQUEST_LIMIT = 50;

/** Returns the limits of a sub-agent: its own, but never more than those of the outer run. */
export function stricterLimits(
  own: UsageLimits | undefined,
  outer: UsageLimits | undefined,
): UsageLimits {
  const requestLimit =
    outer?.requestLimit === undefined ? DEFAULT_REQUEST_LIMIT : outer.requestLimit;
  return {
    requestLimit: least(own?.requestLimit ?? undefined, requestLimit ?? undefined) ?? null,
    toolCallsLimit: least(own?.toolCallsLimit, outer?.toolCallsLimit),
    inputTokensLimit: least(own?.inputTokensLimit, outer?.inputTokensLimit),
    outputTokensLimit: least(own?.outputTokensLimit, outer?.outputTokensLimit),
    totalTokensLimit: least(own?.totalTokensLimit, outer?.totalTokensLimit),
  };
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** Throws if a limit is not a number, because a comparison with it would never be true. */
export function checkLimits(limits: UsageLimits | undefined): void {
  if (limits === undefined) return;
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || limit === null) continue;
    if (typeof limit !== 'number' || !(limit >= 0)) {
      throw new UserError(
        `\`usageLimits.${name}\` is ${limit}, which limits nothing. Pass a number that is not negative.`,
      );
    }
  }
}

/** Throws if one more request would exceed the limit. */
export function checkBeforeRequest(limits: UsageLimits | undefined, usage: RunUsage): void {
  const limit = limits?.requestLimit === undefined ? DEFAULT_REQUEST_LIMIT : limits.requestLimit;
  if (limit !== null && usage.requests >= limit) {
    throw new UsageLimitExceeded(
      `The run has made ${usage.requests} model requests, and ${limit} are allowed. ` +
        'Raise `usageLimits.requestLimit` if it needs more.',
    );
  }
}

/** Throws if `calls` more tool calls would exceed the limit. */
export function checkBeforeToolCalls(
  limits: UsageLimits | undefined,
  usage: RunUsage,
  calls: number,
): void {
  const limit = limits?.toolCallsLimit;
  if (limit !== undefined && usage.toolCalls + calls > limit) {
    throw new UsageLimitExceeded(
      `The run has made ${usage.toolCalls} tool calls, the model requested ${calls} more, and ` +
        `${limit} are allowed, so none of them was executed. Raise \`usageLimits.toolCallsLimit\` if it needs more.`,
    );
  }
}

/** Throws if the tokens used so far exceed a limit. */
export function checkTokens(limits: UsageLimits | undefined, usage: RunUsage): void {
  if (
    limits?.inputTokensLimit === undefined &&
    limits?.outputTokensLimit === undefined &&
    limits?.totalTokensLimit === undefined
  ) {
    return;
  }
  for (const name of ['inputTokens', 'outputTokens', 'totalTokens'] as const) {
    const limit = limits[`${name}Limit`];
    if (limit !== undefined && usage[name] > limit) {
      throw new UsageLimitExceeded(
        `The run has used ${usage[name]} ${name}, and ${limit} are allowed. ` +
          `Raise \`usageLimits.${name}Limit\` if it needs more.`,
      );
    }
  }
}
