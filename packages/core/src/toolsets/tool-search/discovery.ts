import { foundInMetadata, foundToolNames } from '../../messages/found-tools.ts';
import type { Message, ModelResponse } from '../../messages/message.ts';

/** The name of the tool that searches for tools. */
export const SEARCH_TOOL = 'search_tools';

/** The hidden tools that a conversation has surfaced. Each message is read once. */
export class Discovery {
  #messages: readonly Message[] = [];
  #seen = 0;
  #names = new Set<string>();
  /** The tools that a provider's own search found, with the provider. */
  #finders = new Set<string>();

  /** Returns true if the provider's own search found a tool. */
  wasFoundBy(provider: string, toolName: string): boolean {
    // A discovery without a provider name is attributed to the current provider.
    return this.#finders.has(finder(provider, toolName)) || this.#finders.has(finder('', toolName));
  }

  /** Returns the names of the tools that `messages` surface. A larger set is a new object. */
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
      // Tools that a response surfaces were found by its provider.
      if (message.kind === 'response' && names.length > 0) this.#recordFinder(message, names);
    }
    this.#seen = messages.length;
    if (found.length > 0) this.#names = new Set([...this.#names, ...found]);
    return this.#names;
  }

  #recordFinder({ parts, providerName }: ModelResponse, names: readonly string[]): void {
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
