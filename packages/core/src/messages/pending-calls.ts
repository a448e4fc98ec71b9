import type { ToolCallPart } from './response-part.ts';

/** The pending calls of one response. A duplicate id occurs as often as the response has it. */
export class PendingCalls {
  /** The calls in the order of the response; `undefined` if the call has a result. */
  readonly #calls: (ToolCallPart | undefined)[];
  #size: number;
  /** The index of the first pending call, as long as the results have the order of the calls. */
  #first = 0;
  /** The indexes of the pending calls, by tool call id. Built for the first result in another order. */
  #indexes: Map<string, number[]> | undefined;

  constructor(calls: readonly ToolCallPart[]) {
    this.#calls = [...calls];
    this.#size = calls.length;
  }

  /** The number of calls without a result. */
  get size(): number {
    return this.#size;
  }

  /** The calls without a result, in the order of the response. */
  get calls(): readonly ToolCallPart[] {
    return this.#calls.filter((call) => call !== undefined);
  }

  /** Removes and returns the first call with this id, because it has a result. */
  take(toolCallId: string): ToolCallPart | undefined {
    if (this.#size === 0) return undefined;
    const index = this.#takeIndex(toolCallId);
    if (index === undefined) return undefined;
    const call = this.#calls[index];
    this.#calls[index] = undefined;
    this.#size -= 1;
    return call;
  }

  #takeIndex(toolCallId: string): number | undefined {
    if (this.#indexes === undefined && this.#calls[this.#first]?.toolCallId === toolCallId) {
      this.#first += 1;
      return this.#first - 1;
    }
    this.#indexes ??= indexesById(this.#calls);
    return this.#indexes.get(toolCallId)?.shift();
  }
}

function indexesById(calls: readonly (ToolCallPart | undefined)[]): Map<string, number[]> {
  const byId = new Map<string, number[]>();
  for (const [index, call] of calls.entries()) {
    if (call === undefined) continue;
    const indexes = byId.get(call.toolCallId);
    if (indexes === undefined) byId.set(call.toolCallId, [index]);
    else indexes.push(index);
  }
  return byId;
}
