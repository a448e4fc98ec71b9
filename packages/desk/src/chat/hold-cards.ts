import type { CardElement } from 'chat';
import { contextOf } from '../desk/desk-reader.ts';
import type { Desk } from '../desk/desk.ts';
import type { HoldWithDecisions } from '../desk/method-options.ts';
import type { RequestedChanges } from '../desk/requested-changes.ts';
import { DeskError } from '../errors/desk-error.ts';
import { ConversationSecrets } from '../http/redaction/conversation-secrets.ts';
import type { CardFacts } from './card-facts.ts';
import type { CardMessage, CardStore, HoldCard } from './card-store.ts';
import type { ChatApprovalsOptions, ChatBot } from './chat-options.ts';
import { holdCard } from './hold-card.ts';
import { outcomeText } from './outcome-text.ts';
import { responseText } from './requested-changes-text.ts';

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

  /** Returns the current facts about a hold, or `undefined` if it was deleted. */
  async facts(holdId: string): Promise<CardFacts | undefined> {
    try {
      const hold = await this.#desk.hold(holdId);
      const requested = await this.#desk.requestedChanges(holdId);
      return await this.#factsOf(hold, requested.at(-1));
    } catch (error) {
      if (error instanceof DeskError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  async #factsOf(
    hold: HoldWithDecisions,
    changes: RequestedChanges | undefined,
  ): Promise<CardFacts> {
    const { redaction } = contextOf(this.#desk);
    const secrets = await new ConversationSecrets(this.#desk).of(hold.conversationId);
    const { url } = this.#desk;
    return {
      hold,
      changes,
      redaction,
      secrets,
      url: url && `${url}/inbox/holds/${encodeURIComponent(hold.id)}`,
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
    // The card is stored before it is posted, because a click can arrive immediately. An earlier
    // attempt may have stored it.
    const { hold } = facts;
    const card =
      cards.find(({ digest }) => digest === hold.digest) ??
      (await this.#cards.create(hold, { targetId: target.id, isThread: 'channel' in target }));
    const { id: messageId, threadId } = await target.post(holdCard(facts, card.id));
    await this.#cards.setMessage(card, { threadId, messageId });
    // The hold may have changed since then, when its events found no message.
    if (versionOf(await this.facts(holdId)) !== versionOf(facts)) await this.update(holdId);
  }

  /** Shows that a hold is the response to changes, on the card of the hold whose approver requested them. */
  async updateRequested(holdId: string): Promise<void> {
    const { changes } = (await this.facts(holdId)) ?? {};
    if (changes !== undefined) await this.update(changes.holdId);
  }

  /** Shows the response that ended a run on the cards of the holds whose approvers requested changes. */
  async updateLast(runId: string): Promise<void> {
    const { store } = contextOf(this.#desk);
    const holds = await store.read((tx) => tx.holds.ofRun(this.#desk.tenant, runId, ['consumed']));
    const lastPark = Math.max(...holds.map(({ park }) => park));
    for (const { id, park } of holds) {
      if (park !== lastPark) continue;
      const facts = await this.facts(id);
      if (facts?.changes?.holdId === id) await this.update(id);
    }
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
      if (versionOf(await this.facts(holdId)) === versionOf(facts)) return;
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
    const { hold } = facts;
    const isStale = hold.state === 'open' && card.digest !== hold.digest;
    const current = isStale ? await this.#cards.replace(card, hold) : card;
    // The process that has replaced the card updates the message.
    if (current === undefined) return;
    await this.#edit(message, holdCard(facts, current.id));
    const outcome = sentOutcome(facts);
    if (outcome !== undefined) await this.#sendOutcome(current, message, outcome);
  }

  /** Sends an outcome to the thread of a card, unless it was sent before. */
  async #sendOutcome(
    card: HoldCard,
    { threadId }: CardMessage,
    { id, text }: SentOutcome,
  ): Promise<void> {
    if (!(await this.#cards.setOutcome(card, id))) return;
    try {
      await this.#bot.thread(threadId).post(text);
    } catch (error) {
      await this.#cards.setOutcome(card, undefined);
      throw error;
    }
  }

  async #edit({ threadId, messageId }: CardMessage, card: CardElement): Promise<void> {
    const { adapter } = this.#bot.thread(threadId);
    try {
      await adapter.editMessage(threadId, messageId, card);
    } catch (error) {
      if (!isUnchanged(error)) throw error;
    }
  }
}

/** A text for a thread. Its id is stored, so that the text is sent once. The id of a later one begins with it. */
interface SentOutcome {
  readonly id: string;
  readonly text: string;
}

/** Returns the outcome of a hold, or the response of the agent if the outcome was a request for changes. */
function sentOutcome(facts: CardFacts): SentOutcome | undefined {
  const { hold, secrets } = facts;
  const id = `${hold.outcome} ${hold.settledAt}`;
  const response = responseText(facts);
  if (response !== undefined) return { id: `${id} response`, text: response };
  const text = outcomeText(hold, secrets);
  return text === undefined ? undefined : { id, text };
}

/**
 * Returns whether a platform rejected an edit because the message would not change. Telegram does
 * this.
 */
function isUnchanged(error: unknown): boolean {
  return error instanceof Error && error.message.includes('message is not modified');
}

/** Returns a text that changes with everything that a card shows. */
function versionOf(facts: CardFacts | undefined): string | undefined {
  if (facts === undefined) return undefined;
  const { hold, changes } = facts;
  const { digest, outcome, settledAt, decisions, requirements, escalatedAfter, expiresAt } = hold;
  const counted = [decisions.length, requirements?.length];
  const response = changes?.response !== undefined;
  return JSON.stringify([
    [digest, outcome, settledAt, escalatedAfter, expiresAt],
    counted,
    [changes?.holdId, response],
  ]);
}
