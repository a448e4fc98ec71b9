import { type HistorySnapshot, originOf, sourceOf } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { ConversationMessage, PromptMessage, SystemMessage, UserMessage } from './prompt.ts';
import type { PromptFormat } from './prompt-format.ts';
import { type ConvertedMessage, toPromptMessages } from './to-prompt-messages.ts';

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
