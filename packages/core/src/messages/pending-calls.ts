import type { ToolCallPart } from './response-part.ts';

/** The pending calls of one response. A duplicate id occurs as often as the response has it. */
export class PendingCalls {
  /** The calls in the order of the response; `undefined` if the call has a result. */
  readonly #calls: (ToolCallPart | undefined)[];
  #size: number;
  /** The indexes of the pending calls, by tool call id. Built for the first result. */
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
    this.#indexes ??= indexesById(this.calls);
    const index = this.#indexes.get(toolCallId)?.shift();
    if (index === undefined) return undefined;
    const call = this.#calls[index];
    this.#calls[index] = undefined;
    this.#size -= 1;
    return call;
  }
}

function indexesById(calls: readonly ToolCallPart[]): Map<string, number[]> {
  const byId = new Map<string, number[]>();
  for (const [index, { toolCallId }] of calls.entries()) {
    const indexes = byId.get(toolCallId);
    if (indexes === undefined) byId.set(toolCallId, [index]);
    else indexes.push(index);
  }
  return byId;
}
