import type { ToolCallPart } from './response-part.ts';

/** The calls of one response that have no result yet. A repeated id is there repeatedly. */
export class OpenCalls {
  /** In the order of the response; those before `#from` have their result. */
  readonly #calls: readonly ToolCallPart[];
  #from = 0;
  /** Made when results come in another order than the calls, which they rarely do; then it is what counts. */
  #byId: Map<string, ToolCallPart[]> | undefined;

  constructor(calls: readonly ToolCallPart[] = []) {
    this.#calls = calls;
  }

  get isEmpty(): boolean {
    return this.#byId === undefined ? this.#from === this.#calls.length : this.#byId.size === 0;
  }

  /** The same calls, to be taken off without taking them off here. */
  copy(): OpenCalls {
    const isWhole = this.#from === 0 && this.#byId === undefined;
    return new OpenCalls(isWhole ? this.#calls : this.list());
  }

  /** All of them. */
  list(): ToolCallPart[] {
    return this.#byId === undefined
      ? this.#calls.slice(this.#from)
      : [...this.#byId.values()].flat();
  }

  /** Takes a call off that has its result; `undefined` if there is none of that id. */
  take(toolCallId: string): ToolCallPart | undefined {
    if (this.#byId === undefined) {
      if (this.#from === this.#calls.length) return undefined;
      const next = this.#calls[this.#from];
      if (next?.toolCallId === toolCallId) {
        this.#from += 1;
        return next;
      }
    }
    this.#byId ??= callsById(this.list());
    const sameId = this.#byId.get(toolCallId);
    if (sameId === undefined) return undefined;
    if (sameId.length === 1) this.#byId.delete(toolCallId);
    else this.#byId.set(toolCallId, sameId.slice(1));
    return sameId[0];
  }
}

function callsById(calls: readonly ToolCallPart[]): Map<string, ToolCallPart[]> {
  const byId = new Map<string, ToolCallPart[]>();
  for (const call of calls) {
    const sameId = byId.get(call.toolCallId);
    if (sameId) sameId.push(call);
    else byId.set(call.toolCallId, [call]);
  }
  return byId;
}
