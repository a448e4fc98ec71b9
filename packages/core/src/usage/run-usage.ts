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

  /** Adds usage that was counted elsewhere. */
  add(spent: SpentUsage): void {
    this.requests += spent.requests;
    this.toolCalls += spent.toolCalls;
    addTokens(this, spent);
  }
}

function addTokens(total: RunUsage, usage: RequestUsage): void {
  for (const name of COUNTS) total[name] += usage[name] || 0;
  for (const [name, count] of Object.entries(usage.details ?? {})) {
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
