import { sameCallText } from '../ledger/same-call.ts';
import type { Message } from '../messages/message.ts';
import { toolCallsOf } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';

/** Which calls of a conversation were denied. Messages that were looked at are not looked at again. */
export class Denials {
  #messages: readonly Message[] = [];
  #seen = 0;
  #denied = new Set<string>();
  #calls: readonly ToolCallPart[] = [];

  /** Whether a call with the same arguments was denied in these messages. */
  include(call: ToolCallPart, messages: readonly Message[]): boolean {
    if (messages !== this.#messages || messages.length < this.#seen) {
      this.#messages = messages;
      this.#seen = 0;
      this.#denied = new Set();
    }
    if (messages.length > this.#seen) {
      for (const message of messages.slice(this.#seen)) this.#look(message);
      this.#seen = messages.length;
    }
    return this.#denied.size > 0 && this.#denied.has(sameCallText(call));
  }

  #look(message: Message): void {
    if (message.kind === 'response') {
      this.#calls = toolCallsOf(message);
      return;
    }
    for (const part of message.parts) {
      if (part.kind !== 'tool-return' || part.outcome !== 'denied') continue;
      const call = this.#calls.find(({ toolCallId }) => toolCallId === part.toolCallId);
      if (call !== undefined) this.#denied.add(sameCallText(call));
    }
  }
}
