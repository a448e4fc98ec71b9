import { UsageLimitExceeded } from '../errors/agent-errors.ts';
import type { OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import type { RequestUsage, SpentUsage } from '../messages/message.ts';

const COUNTS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'inputAudioTokens',
  'outputAudioTokens',
  'cacheAudioReadTokens',
] as const;

/**
 * The usage of a run so far.
 *
 * It is updated during the run. Pass the usage of one run to another (`usage: ctx.usage`) to count both together.
 */
export class RunUsage {
  /** The number of model requests. */
  requests = 0;
  /** The number of successful executions of function tools. */
  toolCalls = 0;
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  inputAudioTokens = 0;
  outputAudioTokens = 0;
  cacheAudioReadTokens = 0;
  /** Other counts, by the names that the providers use. */
  readonly details: Record<string, number> = Object.create(null);

  /** The number of all tokens, input and output. */
  get totalTokens(): number {
    return this.inputTokens + this.outputTokens;
  }

  /** Counts one model request and its usage. */
  addRequest(usage: RequestUsage | undefined): void {
    this.requests += 1;
    if (usage !== undefined) addTokens(this, usage);
  }

  /** Returns the usage so far as data. */
  spent(): SpentUsage {
    const { requests, toolCalls, details } = this;
    const spent: Record<string, unknown> = { requests, toolCalls };
    for (const name of COUNTS) if (this[name] > 0) spent[name] = this[name];
    if (Object.keys(details).length > 0) spent['details'] = { ...details };
    // It has exactly the members of `SpentUsage`.
    return spent as unknown as SpentUsage;
  }

  /** Adds usage from another count. */
  add(spent: SpentUsage): void {
    this.requests += spent.requests;
    this.toolCalls += spent.toolCalls;
    addTokens(this, spent);
  }
}

function addTokens(total: RunUsage, usage: RequestUsage): void {
  for (const name of COUNTS) total[name] += usage[name] || 0;
  const { details } = usage;
  if (details === undefined) return;
  for (const [name, count] of Object.entries(details)) {
    total.details[name] = (total.details[name] ?? 0) + count;
  }
}

/** A view of another usage that also records what was counted through it. */
export class UsageMeter {
  readonly #spent = new RunUsage();
  /** The view. Counts made through it reach the other usage. */
  readonly usage: RunUsage;

  constructor(total: RunUsage) {
    const spent = this.#spent;
    const details = new Proxy(total.details, {
      set(figures, name, value: number) {
        const key = String(name);
        spent.details[key] = (spent.details[key] ?? 0) + value - (figures[key] ?? 0);
        figures[key] = value;
        return true;
      },
    });
    const metered: RunUsage = Object.create(RunUsage.prototype, {
      details: { value: details, enumerable: true },
    });
    for (const name of ['requests', 'toolCalls', ...COUNTS] as const) {
      Object.defineProperty(metered, name, {
        enumerable: true,
        get: () => total[name],
        set(value: number) {
          spent[name] += value - total[name];
          total[name] = value;
        },
      });
    }
    this.usage = metered;
  }

  /** The usage that was counted through the view; `undefined` if there is none. */
  get spent(): SpentUsage | undefined {
    const { requests, toolCalls } = this.#spent;
    return requests > 0 || toolCalls > 0 ? this.#spent.spent() : undefined;
  }
}

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

/** Throws if `calls` more tool calls would exceed the limit. Without a call there is nothing to exceed it. */
export function checkBeforeToolCalls(
  limits: UsageLimits | undefined,
  usage: RunUsage,
  calls: number,
): void {
  const limit = limits?.toolCallsLimit;
  if (limit !== undefined && calls > 0 && usage.toolCalls + calls > limit) {
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
