import type { OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { UsageLimitExceeded } from '../errors/agent-errors.ts';
import type { RunUsage } from './run-usage.ts';

/** How much a run may use. What is absent is not limited. */
export interface UsageLimits {
  /** Requests to models; 50 unless said otherwise, `null` for no limit. */
  readonly requestLimit?: number | null | undefined;
  /** Executions of function tools that succeed. */
  readonly toolCallsLimit?: number | undefined;
  readonly inputTokensLimit?: number | undefined;
  readonly outputTokensLimit?: number | undefined;
  readonly totalTokensLimit?: number | undefined;
}

/** The limits that there are; `checkLimits` looks at their values. */
export const LIMITS: OptionTable<UsageLimits> = {
  requestLimit: 'any',
  toolCallsLimit: 'value',
  inputTokensLimit: 'value',
  outputTokensLimit: 'value',
  totalTokensLimit: 'value',
};

const DEFAULT_REQUEST_LIMIT = 50;

/** The limits of a run that another one has handed its work: its own, but nothing beyond the other's. */
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

/** Throws if a limit is no number: comparing with it would limit nothing. */
export function checkLimits(limits: UsageLimits | undefined): void {
  if (limits === undefined) return;
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || limit === null) continue;
    if (typeof limit !== 'number' || !(limit >= 0)) {
      throw new UserError(`usageLimits.${name} is ${limit}; give a number from 0 on.`);
    }
  }
}

/** Throws when one more request would go beyond the limit. */
export function checkBeforeRequest(limits: UsageLimits | undefined, usage: RunUsage): void {
  const limit = limits?.requestLimit === undefined ? DEFAULT_REQUEST_LIMIT : limits.requestLimit;
  if (limit !== null && usage.requests >= limit) {
    throw new UsageLimitExceeded(
      `The run has made ${usage.requests} model requests and may make ${limit}. ` +
        'Raise usageLimits.requestLimit if it really needs more.',
    );
  }
}

/** Throws when `calls` more tool calls would go beyond the limit. */
export function checkBeforeToolCalls(
  limits: UsageLimits | undefined,
  usage: RunUsage,
  calls: number,
): void {
  const limit = limits?.toolCallsLimit;
  if (limit !== undefined && usage.toolCalls + calls > limit) {
    throw new UsageLimitExceeded(
      `The run has made ${usage.toolCalls} tool calls, the model asks for ${calls} more, and ` +
        `${limit} are allowed, so none of them was run. Raise usageLimits.toolCallsLimit if it needs more.`,
    );
  }
}

/** Throws when the tokens used so far are beyond a limit. */
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
        `The run has used ${usage[name]} ${name} and may use ${limit}. ` +
          `Raise usageLimits.${name}Limit if it really needs more.`,
      );
    }
  }
}
