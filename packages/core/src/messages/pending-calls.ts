import type { ToolCallPart } from './response-part.ts';

/** The pending calls of one response. A repeated id occurs repeatedly. */
export class PendingCalls {
  /** The calls by their index, in the order of the response. */
  readonly #calls: Map<number, ToolCallPart>;
  /** The indexes of the calls, by tool call id. */
  readonly #indexes = new Map<string, number[]>();

  constructor(calls: readonly ToolCallPart[] = []) {
    this.#calls = new Map(calls.entries());
    for (const [index, { toolCallId }] of this.#calls) {
      const indexes = this.#indexes.get(toolCallId);
      if (indexes === undefined) this.#indexes.set(toolCallId, [index]);
      else indexes.push(index);
    }
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Returns a copy that can be changed without changing this one. */
  copy(): PendingCalls {
    return new PendingCalls(this.list());
  }

  /** Returns the calls in the order of the response. */
  list(): ToolCallPart[] {
    return [...this.#calls.values()];
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
