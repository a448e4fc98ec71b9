import { canonicalJson } from '../ledger/canonical-json.ts';
import type { Message } from '../messages/message.ts';
import { toolCallsOf } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';

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
    for (const message of messages.slice(this.#seen)) this.#look(message);
    this.#seen = messages.length;
    return this.#denied.size > 0 && this.#denied.has(sameness(call));
  }

  #look(message: Message): void {
    if (message.kind === 'response') {
      this.#calls = toolCallsOf(message);
      return;
    }
    for (const part of message.parts) {
      if (part.kind !== 'tool-return' || part.outcome !== 'denied') continue;
      const call = this.#calls.find(({ toolCallId }) => toolCallId === part.toolCallId);
      if (call !== undefined) this.#denied.add(sameness(call));
    }
  }
}

/** Equal for calls of the same tool with the same arguments. */
function sameness({ toolName, args }: ToolCallPart): string {
  const parsed = parseArgs(args);
  // Side by side: arguments may be as deep as JSON may be.
  try {
    return `${toolName} ${canonicalJson(parsed.ok ? parsed.value : args)}`;
  } catch {
    // Numbers that JSON has no place for: the text is what there is.
    return `${toolName} ${JSON.stringify(args)}`;
  }
}
