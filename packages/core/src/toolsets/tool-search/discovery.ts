import { isPlainObject, type JsonValue } from '../../messages/json.ts';
import type { Message } from '../../messages/message.ts';

/** The name of the tool that finds tools. */
export const SEARCH_TOOL = 'search_tools';

/** Which hidden tools a conversation has surfaced. Messages that were looked at are not looked at again. */
export class Discovery {
  #messages: readonly Message[] = [];
  #seen = 0;
  #names = new Set<string>();

  /** The names of the tools that `messages` surface. The set is another one when there are more. */
  in(messages: readonly Message[]): ReadonlySet<string> {
    if (messages !== this.#messages || messages.length < this.#seen) {
      this.#messages = messages;
      this.#seen = 0;
      this.#names = new Set();
    }
    const found: string[] = [];
    for (; this.#seen < messages.length; this.#seen++)
      found.push(...surfacedBy(messages[this.#seen]!));
    if (found.length > 0) this.#names = new Set([...this.#names, ...found]);
    return this.#names;
  }
}

function surfacedBy(message: Message): string[] {
  const names: string[] = [];
  for (const part of message.parts) {
    if (part.kind === 'tool-availability-delta') names.push(...part.toolsAdded);
    if (part.kind !== 'tool-return' && part.kind !== 'native-tool-return') continue;
    if (part.toolKind === 'tool-search') names.push(...namesIn(part.content));
    else if (part.toolName === SEARCH_TOOL) names.push(...legacyNamesIn(part.metadata));
  }
  return names;
}

/** Where histories of old versions of Pydantic AI keep what a search has found. */
function legacyNamesIn(metadata: JsonValue | undefined): string[] {
  const found = isPlainObject(metadata) ? metadata['discovered_tools'] : undefined;
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];
}

function namesIn(content: JsonValue): string[] {
  const found = isPlainObject(content) ? content['discovered_tools'] : undefined;
  if (!Array.isArray(found)) return [];
  return found.flatMap((tool) =>
    isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
  );
}
