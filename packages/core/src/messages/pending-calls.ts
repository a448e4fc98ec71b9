import type { ToolCallPart } from './response-part.ts';

/** The pending calls of one response. A duplicate id occurs as often as the response has it. */
export class PendingCalls {
  /** The calls by their index, in the order of the response. */
  readonly calls: ReadonlyMap<number, ToolCallPart>;
  readonly #calls: Map<number, ToolCallPart>;
  /** The indexes of the calls, by tool call id. */
  readonly #indexes = new Map<string, number[]>();

  constructor(calls: readonly ToolCallPart[]) {
    this.#calls = new Map(calls.entries());
    this.calls = this.#calls;
    for (const [index, { toolCallId }] of this.#calls) {
      const indexes = this.#indexes.get(toolCallId);
      if (indexes === undefined) this.#indexes.set(toolCallId, [index]);
      else indexes.push(index);
    }
  }

  /** Removes and returns the first call with this id, because it has a result. */
  take(toolCallId: string): ToolCallPart | undefined {
    const index = this.#indexes.get(toolCallId)?.shift();
    if (index === undefined) return undefined;
    const call = this.#calls.get(index);
    this.#calls.delete(index);
    return call;
  }
}
