import { foundInMetadata, foundToolNames } from '../../messages/found-tools.ts';
import type { Message, ModelResponse } from '../../messages/message.ts';

/** The name of the tool that finds tools. */
export const SEARCH_TOOL = 'search_tools';

/** Which hidden tools a conversation has surfaced. Messages that were looked at are not looked at again. */
export class Discovery {
  #messages: readonly Message[] = [];
  #seen = 0;
  #names = new Set<string>();
  /** Who has found which tool, for those that a provider has found itself. */
  #finders = new Set<string>();

  /** Whether a provider has found a tool itself, as far as the messages were looked at. */
  wasFoundBy(provider: string, toolName: string): boolean {
    // Where nobody says who it was, it was the one at hand.
    return this.#finders.has(finder(provider, toolName)) || this.#finders.has(finder('', toolName));
  }

  /** The names of the tools that `messages` surface. The set is another one when there are more. */
  in(messages: readonly Message[]): ReadonlySet<string> {
    if (messages !== this.#messages || messages.length < this.#seen) {
      this.#messages = messages;
      this.#seen = 0;
      this.#names = new Set();
      this.#finders = new Set();
    }
    const found: string[] = [];
    for (const message of messages.slice(this.#seen)) {
      const names = surfacedBy(message);
      found.push(...names);
      // What a response itself surfaces was found by its provider.
      if (message.kind === 'response' && names.length > 0) this.#note(message, names);
    }
    this.#seen = messages.length;
    if (found.length > 0) this.#names = new Set([...this.#names, ...found]);
    return this.#names;
  }

  #note({ parts, providerName }: ModelResponse, names: readonly string[]): void {
    const search = parts.find((part) => part.kind === 'native-tool-return');
    const provider = search?.providerName ?? providerName ?? '';
    for (const name of names) this.#finders.add(finder(provider, name));
  }
}

function finder(provider: string, toolName: string): string {
  return `${provider} ${toolName}`;
}

function surfacedBy(message: Message): string[] {
  const names: string[] = [];
  for (const part of message.parts) {
    if (part.kind === 'tool-availability-delta') names.push(...part.toolsAdded);
    if (part.kind !== 'tool-return' && part.kind !== 'native-tool-return') continue;
    if (part.toolKind === 'tool-search') names.push(...foundToolNames(part.content));
    else if (part.toolName === SEARCH_TOOL) names.push(...foundInMetadata(part.metadata));
  }
  return names;
}
