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
 * What a run has used so far.
 *
 * It counts up while the run goes on. Hand the usage of one run to another (`usage: ctx.usage`) and
 * both count in the same place.
 */
export class RunUsage {
  /** Requests made to models. */
  requests = 0;
  /** Function tools that were executed and succeeded. */
  toolCalls = 0;
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  inputAudioTokens = 0;
  outputAudioTokens = 0;
  cacheAudioReadTokens = 0;
  /** Further figures by the providers' own names. */
  readonly details: Record<string, number> = Object.create(null);

  /** All tokens, in and out. */
  get totalTokens(): number {
    return this.inputTokens + this.outputTokens;
  }

  /** Counts one request to a model and what it cost. */
  addRequest(usage: RequestUsage | undefined): void {
    this.requests += 1;
    if (usage !== undefined) addTokens(this, usage);
  }

  /** What was used so far, as data. */
  spent(): SpentUsage {
    const { requests, toolCalls, details } = this;
    const spent: Record<string, unknown> = { requests, toolCalls };
    for (const name of COUNTS) if (this[name] > 0) spent[name] = this[name];
    if (Object.keys(details).length > 0) spent['details'] = { ...details };
    // The names are those of the counts.
    return spent as unknown as SpentUsage;
  }

  /** Counts what was used elsewhere. */
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

/**
 * A usage that reads like another one and counts in it, and remembers what was counted through it.
 */
export class UsageMeter {
  readonly #spent = new RunUsage();
  /** The usage to hand out. */
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

  /** What was counted; `undefined` if nothing was. */
  get spent(): SpentUsage | undefined {
    const { requests, toolCalls } = this.#spent;
    return requests > 0 || toolCalls > 0 ? this.#spent.spent() : undefined;
  }
}
