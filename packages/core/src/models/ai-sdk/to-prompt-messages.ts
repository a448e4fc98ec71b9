import type { CachePoint, UserPrompt } from '../../messages/content.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { Message, ModelRequest } from '../../messages/message.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import { renderRetryPrompt } from '../../messages/retry-prompt.ts';
import { renderSpeech } from '../../messages/speech-part.ts';
import type { ConversationMessage, SystemMessage, ToolResultItem, UserItem } from './prompt.ts';
import type { PromptFormat } from './prompt-format.ts';
import { toAssistantMessages } from './to-assistant-messages.ts';
import type { FileFormat } from './to-file.ts';
import { toToolOutput } from './to-tool-output.ts';

/** A message of the history in the format of a prompt. */
export interface ConvertedMessage {
  readonly system: readonly SystemMessage[];
  readonly conversation: readonly ConversationMessage[];
}

/** Converts one message of the history, independently of the others. */
export function toPromptMessages(message: Message, format: PromptFormat): ConvertedMessage {
  return message.kind === 'request'
    ? convertRequest(message, format.files)
    : { system: [], conversation: toAssistantMessages(message, format) };
}

function convertRequest(request: ModelRequest, files: FileFormat): ConvertedMessage {
  const draft = new RequestDraft(files);
  for (const part of request.parts) draft.add(part);
  return draft.finish();
}

/**
 * Collects the parts of a request by their role in the prompt.
 *
 * Tool results come before user content, because providers require them right after the calls.
 */
class RequestDraft {
  readonly #files: FileFormat;
  readonly #system: SystemMessage[] = [];
  readonly #results: ToolResultItem[] = [];
  readonly #userItems: UserItem[] = [];

  constructor(files: FileFormat) {
    this.#files = files;
  }

  add(part: RequestPart): void {
    switch (part.kind) {
      case 'system-prompt':
        this.#system.push({ role: 'system', content: part.content });
        break;
      case 'user-prompt':
        this.#addPrompt(part.content);
        break;
      case 'tool-return': {
        const { toolCallId, toolName } = part;
        const output = toToolOutput(part, this.#files);
        this.#results.push({ type: 'tool-result', toolCallId, toolName, output });
        break;
      }
      case 'retry-prompt': {
        const { toolCallId, toolName } = part;
        const text = renderRetryPrompt(part);
        if (toolCallId === undefined || toolName === undefined) {
          this.#addText(text);
        } else {
          const output = { type: 'error-text', value: text } as const;
          this.#results.push({ type: 'tool-result', toolCallId, toolName, output });
        }
        break;
      }
      case 'tool-availability-delta':
        if (part.toolsAdded.length > 0) {
          this.#addText(`You can use these tools from now on: ${part.toolsAdded.join(', ')}.`);
        }
        break;
      case 'speech':
        if (part.transcript !== undefined) this.#addText(renderSpeech(part));
        else if (part.audio !== undefined) this.#userItems.push(this.#files.item(part.audio));
        break;
    }
  }

  finish(): ConvertedMessage {
    const conversation: ConversationMessage[] = [];
    if (this.#results.length > 0) conversation.push({ role: 'tool', content: this.#results });
    if (this.#userItems.length > 0) conversation.push({ role: 'user', content: this.#userItems });
    return { system: this.#system, conversation };
  }

  #addPrompt(prompt: UserPrompt): void {
    if (typeof prompt === 'string') return this.#addText(prompt);
    for (const item of prompt) {
      if (typeof item === 'string') this.#addText(item);
      else if (item.kind === 'text-content') this.#addText(item.content);
      else if (item.kind === 'cache-point') this.#markCached(item);
      else this.#userItems.push(this.#files.item(item));
    }
  }

  #addText(text: string): void {
    // Some providers reject an empty text.
    if (text !== '') this.#userItems.push({ type: 'text', text });
  }

  /** Marks the item before the cache point, if there is one. */
  #markCached({ ttl }: CachePoint): void {
    const items: (UserItem | ToolResultItem)[] =
      this.#userItems.length > 0 ? this.#userItems : this.#results;
    const last = items.pop();
    if (last === undefined) return;
    const cacheControl: JsonObject = { type: 'ephemeral', ...(ttl && { ttl }) };
    const anthropic = { ...last.providerOptions?.['anthropic'], cacheControl };
    items.push({ ...last, providerOptions: { ...last.providerOptions, anthropic } });
  }
}
