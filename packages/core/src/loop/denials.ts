import { sameCallText } from '../ledger/same-call.ts';
import { type Message, type ModelResponse, toolCallsOf } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';

/** The denied calls of a conversation. Each message is read once, so that a step costs the same in a long history. */
export class Denials {
  #messages: readonly Message[] = [];
  #readCount = 0;
  readonly #denied = new Set<string>();
  #response: ModelResponse | undefined;

  /** Returns whether a call with the same arguments was denied in these messages. */
  include(call: ToolCallPart, messages: readonly Message[]): boolean {
    if (messages !== this.#messages || messages.length < this.#readCount) {
      this.#messages = messages;
      this.#readCount = 0;
      this.#denied.clear();
    }
    for (const message of messages.slice(this.#readCount)) this.#read(message);
    this.#readCount = messages.length;
    // Without a denial there is nothing to compare, so the call needs no canonical form.
    return this.#denied.size > 0 && this.#denied.has(sameCallText(call));
  }

  #read(message: Message): void {
    if (message.kind === 'response') {
      this.#response = message;
      return;
    }
    const deniedIds = message.parts.flatMap((part) =>
      part.kind === 'tool-return' && part.outcome === 'denied' ? [part.toolCallId] : [],
    );
    const calls = this.#response ? toolCallsOf(this.#response) : [];
    for (const id of deniedIds) {
      // Of calls that share an id, the first one counts.
      const call = calls.find(({ toolCallId }) => toolCallId === id);
      if (call !== undefined) this.#denied.add(sameCallText(call));
    }
  }
}
