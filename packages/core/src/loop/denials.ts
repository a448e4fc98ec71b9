import { sameCallText } from '../ledger/same-call.ts';
import { type Message, type ModelResponse, toolCallsOf } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';

/** Which calls of a conversation were denied. Messages that were looked at are not looked at again. */
export class Denials {
  #messages: readonly Message[] = [];
  #seen = 0;
  /** Made with the first denial, which most conversations do not have. */
  #denied: Set<string> | undefined;
  #response: ModelResponse | undefined;

  /** Whether a call with the same arguments was denied in these messages. */
  include(call: ToolCallPart, messages: readonly Message[]): boolean {
    if (messages !== this.#messages || messages.length < this.#seen) {
      this.#messages = messages;
      this.#seen = 0;
      this.#denied = undefined;
    }
    while (this.#seen < messages.length) {
      this.#look(messages[this.#seen]!);
      this.#seen += 1;
    }
    return this.#denied !== undefined && this.#denied.has(sameCallText(call));
  }

  #look(message: Message): void {
    if (message.kind === 'response') {
      this.#response = message;
      return;
    }
    let calls: Map<string, ToolCallPart> | undefined;
    for (const part of message.parts) {
      if (part.kind !== 'tool-return' || part.outcome !== 'denied') continue;
      calls ??= callsById(this.#response);
      const call = calls.get(part.toolCallId);
      if (call !== undefined) (this.#denied ??= new Set()).add(sameCallText(call));
    }
  }
}

/** The calls of a response by their id; of those that share one, the first. */
function callsById(response: ModelResponse | undefined): Map<string, ToolCallPart> {
  const calls = response ? toolCallsOf(response) : [];
  return new Map(calls.toReversed().map((call) => [call.toolCallId, call]));
}
