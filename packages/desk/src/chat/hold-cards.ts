import type { Adapter } from 'chat';
import { contextOf } from '../desk/desk-reader.ts';
import type { Desk } from '../desk/desk.ts';
import type { HoldWithDecisions } from '../desk/method-options.ts';
import { DeskError } from '../errors/desk-error.ts';
import { ConversationSecrets } from '../http/redaction/conversation-secrets.ts';
import type { CardMessage, CardStore, HoldCard } from './card-store.ts';
import type { ChatApprovalsOptions, ChatBot } from './chat-options.ts';
import { type CardFacts, holdCard } from './hold-card.ts';
import { outcomeText } from './outcome-text.ts';

/** The cards of the holds of one tenant. */
export class HoldCards {
  readonly #desk: Desk;
  readonly #bot: ChatBot;
  readonly #cards: CardStore;

  constructor(desk: Desk, bot: ChatBot, cards: CardStore) {
    this.#desk = desk;
    this.#bot = bot;
    this.#cards = cards;
  }

  /** Returns the facts about a hold as it is now; `undefined` if it was deleted. */
  async facts(holdId: string): Promise<CardFacts | undefined> {
    const hold = await this.#hold(holdId);
    if (hold === undefined) return undefined;
    const { redaction } = contextOf(this.#desk);
    const secrets = await new ConversationSecrets(this.#desk).of(hold.conversationId);
    const { url } = this.#desk;
    return {
      hold,
      redaction,
      secrets,
      url: url && `${url}/inbox/holds/${encodeURIComponent(holdId)}`,
    };
  }

  /** Posts the card of an open hold, unless it was posted before. */
  async post(holdId: string, channelFor: ChatApprovalsOptions['channelFor']): Promise<void> {
    const cards = await this.#cards.ofHold(this.#desk.tenant, holdId);
    if (cards.some(({ message }) => message !== undefined)) return this.update(holdId);
    const facts = await this.facts(holdId);
    if (facts?.hold.state !== 'open') return;
    const target = await channelFor(facts.hold);
    if (target === undefined) return;
    // Stored before it is posted: a click can arrive at once. An earlier attempt may have stored it.
    const { hold } = facts;
    const card =
      cards.find(({ digest }) => digest === hold.digest) ??
      (await this.#cards.create(hold, { targetId: target.id, isThread: 'channel' in target }));
    const { id: messageId, threadId } = await target.post(holdCard(facts, card.id));
    await this.#cards.setMessage(card, { threadId, messageId });
    // The hold may have changed in the meantime, and its events have found no message.
    if (versionOf(await this.#hold(holdId)) !== versionOf(facts.hold)) await this.update(holdId);
  }

  /**
   * Shows the current state of a hold on its cards, and sends the outcome to their threads. It reads the hold again
   * afterwards: of two processes that update a card at a time, the last one to write shows the latest state.
   */
  async update(holdId: string): Promise<void> {
    for (;;) {
      const facts = await this.facts(holdId);
      if (facts === undefined) return;
      for (const card of await this.#cards.ofHold(this.#desk.tenant, holdId)) {
        await this.#updateCard(card, facts);
      }
      if (versionOf(await this.#hold(holdId)) === versionOf(facts.hold)) return;
    }
  }

  /** Sends a text to the threads of the cards of a hold. */
  async send(holdId: string, text: string): Promise<void> {
    for (const { message } of await this.#cards.ofHold(this.#desk.tenant, holdId)) {
      if (message !== undefined) await this.#bot.thread(message.threadId).post(text);
    }
  }

  async #updateCard(card: HoldCard, facts: CardFacts): Promise<void> {
    const { message } = card;
    if (message === undefined) return;
    const { hold, secrets } = facts;
    const isStale = hold.state === 'open' && card.digest !== hold.digest;
    const current = isStale ? await this.#cards.replace(card, hold) : card;
    // The process that has replaced the card updates the message.
    if (current === undefined) return;
    const { threadId, messageId } = message;
    await this.#adapterOf(threadId).editMessage(threadId, messageId, holdCard(facts, current.id));
    const outcome = outcomeText(hold, secrets);
    if (outcome !== undefined) await this.#sendOutcome(current, message, [outcome, hold]);
  }

  /** Sends an outcome to the thread of a card, unless it was sent before. */
  async #sendOutcome(
    card: HoldCard,
    { threadId }: CardMessage,
    [text, hold]: readonly [string, HoldWithDecisions],
  ): Promise<void> {
    if (!(await this.#cards.setOutcome(card, `${hold.outcome} ${hold.settledAt}`))) return;
    try {
      await this.#bot.thread(threadId).post(text);
    } catch (error) {
      await this.#cards.setOutcome(card, undefined);
      throw error;
    }
  }

  #adapterOf(threadId: string): Adapter {
    return this.#bot.thread(threadId).adapter;
  }

  async #hold(holdId: string): Promise<HoldWithDecisions | undefined> {
    try {
      return await this.#desk.hold(holdId);
    } catch (error) {
      if (error instanceof DeskError && error.code === 'not-found') return undefined;
      throw error;
    }
  }
}

/** Returns a text that changes with everything that a card shows. */
function versionOf(hold: HoldWithDecisions | undefined): string | undefined {
  if (hold === undefined) return undefined;
  const { digest, outcome, settledAt, decisions, requirements, escalatedAfter, expiresAt } = hold;
  const counted = [decisions.length, requirements?.length];
  return JSON.stringify([digest, outcome, settledAt, counted, escalatedAfter, expiresAt]);
}
