import { type HistorySnapshot, originOf, sourceOf } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { ConversationMessage, PromptMessage, SystemMessage, UserMessage } from './prompt.ts';
import type { PromptFormat } from './prompt-format.ts';
import { type ConvertedMessage, toPromptMessages } from './to-prompt-messages.ts';

/**
 * Makes prompts of messages, and makes nothing twice.
 *
 * Within a run the messages are copies of one history that only grows, so the prompt grows with it. What a run
 * begins with is kept for others that begin with the same, and so are frozen messages that come again in
 * another array, as in the next run of a conversation.
 */
export class PromptConverter {
  readonly #format: PromptFormat;

  constructor(format: PromptFormat) {
    this.#format = format;
  }

  /**
   * Returns a new list with the prompt for `messages`; the entries are shared and must not be changed.
   *
   * With the snapshot that the messages are from, only those are converted that the run has added since.
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
    return prompt.handOut(messages.at(-1)?.kind !== 'response');
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
    // A message that can still change may be another one the next time.
    if (Object.isFrozen(message)) conversions.set(message, { by: this, converted });
    return converted;
  }
}

/** The prompt that was made of messages, by the converter that was asked last. */
const prompts = new WeakMap<readonly Message[], GrowingPrompt>();
const conversions = new WeakMap<
  Message,
  { readonly by: PromptConverter; readonly converted: ConvertedMessage }
>();

/** What the model is told where a request says nothing: providers want a last word from the user. */
const CONTINUE_MESSAGE: UserMessage = {
  role: 'user',
  content: [{ type: 'text', text: 'Please go on.' }],
};

/** A prompt that grows at its end: system prompts, then instructions, then the conversation. */
class GrowingPrompt {
  readonly by: PromptConverter;
  /** How many messages are in it. */
  messageCount = 0;
  #all: PromptMessage[] = [];
  #systemPrompts = 0;
  #instructions: string | undefined;

  constructor(by: PromptConverter) {
    this.by = by;
  }

  /** One that goes on from here without changing this one. */
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
      // To the front, wherever they stand: many providers take them nowhere else.
      this.#all.splice(this.#systemPrompts, 0, ...system);
      this.#systemPrompts += system.length;
    }
    for (const message of conversation) this.#append(message);
  }

  setInstructions(instructions: string | undefined): void {
    const given = instructions === '' ? undefined : instructions;
    if (given === this.#instructions) return;
    const message: SystemMessage[] =
      given === undefined ? [] : [{ role: 'system', content: given }];
    this.#all.splice(this.#systemPrompts, this.#instructions === undefined ? 0 : 1, ...message);
    this.#instructions = given;
  }

  /** Copies the prompt to send, so that it stays as it was sent; with `answering`, it ends with something to answer. */
  handOut(answering: boolean): readonly PromptMessage[] {
    const last = this.#all.at(-1)?.role;
    if (answering && last !== 'user' && last !== 'tool') return [...this.#all, CONTINUE_MESSAGE];
    return [...this.#all];
  }

  #append(message: ConversationMessage): void {
    const last = this.#all.at(-1);
    if (last === undefined || last.role !== message.role) {
      this.#all.push(message);
    } else {
      // A copy: `last` may be kept as the conversion of a message.
      const content = [...last.content, ...message.content];
      this.#all[this.#all.length - 1] = { role: message.role, content } as ConversationMessage; // the roles are equal
    }
  }
}
