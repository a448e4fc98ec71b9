import type { JsonObject } from '../../internal/json.ts';
import type { CachePoint, UserPrompt } from '../../messages/content.ts';
import { type HistorySnapshot, originOf, sourceOf } from '../../messages/history.ts';
import type { Message, ModelRequest } from '../../messages/message.ts';
import { type RequestPart, renderRetryPrompt } from '../../messages/request-part.ts';
import { renderSpeech } from '../../messages/speech-part.ts';
import type {
  ConversationMessage,
  PromptMessage,
  SystemMessage,
  ToolResultItem,
  UserItem,
  UserMessage,
} from './prompt.ts';
import { type PromptFormat, toAssistantMessages } from './to-assistant-messages.ts';
import { type FileFormat, toToolOutput } from './to-file.ts';

/**
 * Converts messages to prompts, and caches conversions.
 *
 * The history of a run only grows, so its prompt is extended. The prompt of the initial history is shared by runs
 * that start with it. Frozen messages are cached, for later runs of a conversation.
 */
export class PromptConverter {
  readonly #format: PromptFormat;

  constructor(format: PromptFormat) {
    this.#format = format;
  }

  /**
   * Returns a new list with the prompt for `messages`. Its entries are shared and must not be changed.
   *
   * With the snapshot of the messages, only messages are converted that the run added since.
   */
  toPrompt(
    messages: readonly Message[],
    instructions: string | undefined,
    snapshot?: HistorySnapshot,
  ): readonly PromptMessage[] {
    const source = sourceOf(messages, snapshot);
    const isOfRun = snapshot !== undefined && source === snapshot.source;
    const prompt = this.#promptOf(source, isOfRun ? originOf(snapshot) : undefined);
    prompt.setInstructions(instructions);
    return prompt.toMessages(messages.at(-1)?.kind !== 'response');
  }

  #promptOf(messages: readonly Message[], origin?: readonly Message[]): GrowingPrompt {
    let prompt = prompts.get(messages);
    if (prompt?.by !== this || prompt.messageCount > messages.length) {
      prompt = origin === undefined ? new GrowingPrompt(this) : this.#promptOf(origin).fork();
      prompts.set(messages, prompt);
    }
    for (const message of messages.slice(prompt.messageCount)) prompt.add(this.#convert(message));
    return prompt;
  }

  #convert(message: Message): ConvertedMessage {
    const known = conversions.get(message);
    if (known?.by === this) return known.converted;
    const converted = toPromptMessages(message, this.#format);
    // A message that is not frozen can still change.
    if (Object.isFrozen(message)) conversions.set(message, { by: this, converted });
    return converted;
  }
}

/** The prompts of histories. Each belongs to the converter that was used last. */
const prompts = new WeakMap<readonly Message[], GrowingPrompt>();
const conversions = new WeakMap<
  Message,
  { readonly by: PromptConverter; readonly converted: ConvertedMessage }
>();

/** The last message if a request has no content, because providers require one of the user. */
const CONTINUE_MESSAGE: UserMessage = {
  role: 'user',
  content: [{ type: 'text', text: 'Please continue.' }],
};

/** A prompt that can be extended: system prompts, then instructions, then the conversation. */
class GrowingPrompt {
  readonly by: PromptConverter;
  /** The number of messages in the prompt. */
  messageCount = 0;
  #all: PromptMessage[] = [];
  #systemPrompts = 0;
  #instructions: string | undefined;

  constructor(by: PromptConverter) {
    this.by = by;
  }

  /** Copies the prompt, so that the copy can be extended separately. */
  fork(): GrowingPrompt {
    const fork = new GrowingPrompt(this.by);
    fork.messageCount = this.messageCount;
    fork.#all = this.#all.slice();
    fork.#systemPrompts = this.#systemPrompts;
    fork.#instructions = this.#instructions;
    return fork;
  }

  add({ system, conversation }: ConvertedMessage): void {
    this.messageCount += 1;
    if (system.length > 0) {
      // Many providers accept system prompts only at the start.
      this.#all.splice(this.#systemPrompts, 0, ...system);
      this.#systemPrompts += system.length;
    }
    for (const message of conversation) this.#append(message);
  }

  setInstructions(instructions: string | undefined): void {
    const text = instructions === '' ? undefined : instructions;
    if (text === this.#instructions) return;
    const message: SystemMessage[] = text === undefined ? [] : [{ role: 'system', content: text }];
    this.#all.splice(this.#systemPrompts, this.#instructions === undefined ? 0 : 1, ...message);
    this.#instructions = text;
  }

  /** Copies the list of messages to send. With `forUser` it ends with a user message or tool results. */
  toMessages(forUser: boolean): readonly PromptMessage[] {
    const last = this.#all.at(-1)?.role;
    if (forUser && last !== 'user' && last !== 'tool') return [...this.#all, CONTINUE_MESSAGE];
    return [...this.#all];
  }

  #append(message: ConversationMessage): void {
    const last = this.#all.at(-1);
    if (last === undefined || last.role !== message.role) {
      this.#all.push(message);
    } else {
      // A new object, because `last` may be the cached conversion of a message.
      const content = [...last.content, ...message.content];
      this.#all[this.#all.length - 1] = { role: message.role, content } as ConversationMessage; // the roles are equal
    }
  }
}

/** A message of the history in the format of a prompt. */
interface ConvertedMessage {
  readonly system: readonly SystemMessage[];
  readonly conversation: readonly ConversationMessage[];
}

/** Converts one message of the history, independently of the others. */
function toPromptMessages(message: Message, format: PromptFormat): ConvertedMessage {
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
