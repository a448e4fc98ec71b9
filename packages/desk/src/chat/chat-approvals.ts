import type { ActionEvent, Author, ModalElement, ModalSubmitEvent } from 'chat';
import { checkPerson, checkRoles } from '../desk/check-decision.ts';
import { contextOf } from '../desk/desk-reader.ts';
import type { Desk } from '../desk/desk.ts';
import { DeskError } from '../errors/desk-error.ts';
import { isInternalCode } from '../errors/public-message.ts';
import type { Decision } from '../model/decision-row.ts';
import type { DeskEvent } from '../model/desk-event.ts';
import { type CardMessage, CardStore, type HoldCard } from './card-store.ts';
import {
  type ChatApprovalsOptions,
  type ChatApprover,
  type ChatBot,
  type ChatUser,
  checkChatOptions,
} from './chat-options.ts';
import { APPROVE, CHANGES, DENY, isApprovable } from './hold-card.ts';
import { HoldCards } from './hold-cards.ts';
import { plainText } from './plain-text.ts';

/** The cards of a desk in chat channels. */
export interface ChatApprovals {
  /**
   * Posts and updates cards after an event of the desk. Call it from `notify`, and do not catch its
   * errors, so that the desk delivers the event again.
   */
  notify(event: DeskEvent): Promise<void>;
}

/**
 * Posts the holds of a desk as cards in chat channels, and records the decisions of chat users. It registers its
 * handlers on the bot, which verifies the requests of the platforms.
 *
 * @example
 * const approvals = chatApprovals({ desk, bot, channelFor, personFor })
 */
export function chatApprovals(options: ChatApprovalsOptions): ChatApprovals {
  const approvals = new Approvals(checkChatOptions(options));
  options.bot.onAction([APPROVE, DENY, CHANGES], (event) => approvals.onButton(event));
  options.bot.onModalSubmit([DENY, CHANGES], (event) => approvals.onForm(event));
  return Object.freeze({ notify: (event: DeskEvent) => approvals.notify(event) });
}

/** A use of a button or a form. */
interface Click {
  readonly user: Author;
  readonly platform: string;
  readonly raw: unknown;
  /** The value of the button: the id of a card. */
  readonly value: string | undefined;
  /** The thread for a private notice if the card is unknown. */
  readonly threadId: string | undefined;
}

/** A click of a known person on a known card. */
interface KnownClick {
  readonly approver: ChatApprover;
  readonly card: HoldCard;
  readonly cards: HoldCards;
}

/** The maximum length of the text of a form. */
const MAX_REASON = 2_000;

/** The id of the field of the form. */
const REASON = 'reason';

class Approvals {
  readonly #desk: Desk;
  readonly #bot: ChatBot;
  readonly #options: ChatApprovalsOptions;
  readonly #store: CardStore;

  constructor(options: ChatApprovalsOptions) {
    this.#options = options;
    this.#desk = options.desk;
    this.#bot = options.bot;
    this.#store = new CardStore(contextOf(options.desk).store);
  }

  async notify(event: DeskEvent): Promise<void> {
    const cards = this.#cardsOf(event.tenant);
    switch (event.kind) {
      case 'hold-opened':
        await cards.post(event.holdId, this.#options.channelFor);
        return cards.updateRequested(event.holdId);
      case 'hold-voted':
      case 'hold-settled':
      case 'hold-reopened':
      case 'hold-escalated':
        return cards.update(event.holdId);
      case 'hold-reminder':
        return cards.send(event.holdId, REMINDER);
      case 'run-finished':
        return cards.updateLast(event.runId);
    }
  }

  async onButton(event: ActionEvent): Promise<void> {
    const { user, adapter, raw, value, threadId, messageId } = event;
    await this.#reporting({ user, platform: adapter.name, raw, value, threadId }, async (known) => {
      await this.#rememberMessage(known.card, { threadId, messageId });
      if (event.actionId === APPROVE) return this.#decide(known, { kind: 'approve' });
      if (!(await this.#isCurrent(known))) return STALE;
      const isDenial = event.actionId === DENY;
      const form = await event.openModal(textForm(isDenial ? DENIAL : REQUEST, known.card.id));
      if (form !== undefined) return undefined;
      // A platform without forms denies without a reason.
      return isDenial ? this.#decide(known, { kind: 'deny' }) : NO_FORM;
    });
  }

  async onForm(event: ModalSubmitEvent): Promise<void> {
    const { user, adapter, raw, values, privateMetadata: value, relatedThread } = event;
    const text = values[REASON]?.trim().slice(0, MAX_REASON) ?? '';
    const click = { user, platform: adapter.name, raw, value, threadId: relatedThread?.id };
    await this.#reporting(click, async (known) => {
      if (event.callbackId === DENY) {
        return this.#decide(known, { kind: 'deny', ...(text !== '' && { reason: text }) });
      }
      return text === '' ? NO_TEXT : this.#decide(known, { kind: 'retry', message: text });
    });
  }

  /** Stores the message of a card that was posted by a process which died before it could store it. */
  async #rememberMessage(card: HoldCard, message: CardMessage): Promise<void> {
    if (card.message === undefined) await this.#store.setMessage(card, message);
  }

  /** Handles a click, and sends the user a private notice of a problem. An error is reported to the operator. */
  async #reporting(
    click: Click,
    handle: (known: KnownClick) => Promise<string | undefined>,
  ): Promise<void> {
    try {
      const card = click.value === undefined ? undefined : await this.#store.get(click.value);
      const notice = await this.#handled(click, card, handle);
      if (notice !== undefined) await this.#notice(click, card, notice);
    } catch (error) {
      // The Chat SDK would only log it.
      contextOf(this.#desk).onError(error);
    }
  }

  async #handled(
    click: Click,
    card: HoldCard | undefined,
    handle: (known: KnownClick) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (card === undefined) return UNKNOWN_CARD;
    try {
      const approver = await this.#approverOf(click, card.tenant);
      if (approver === undefined) return UNKNOWN_PERSON;
      return await handle({ approver, card, cards: this.#cardsOf(card.tenant) });
    } catch (error) {
      const { tenant } = card;
      contextOf(this.#desk).onError(error, { tenant });
      return FAILED;
    }
  }

  async #approverOf(
    { user, platform, raw }: Click,
    tenant: string,
  ): Promise<ChatApprover | undefined> {
    // The Chat SDK names programs. A program is no approver.
    if (user.isBot === true || user.isMe) return undefined;
    const chatUser: ChatUser = { id: user.userId, platform, tenant, author: user, raw };
    const approver = await this.#options.personFor(chatUser);
    if (approver === undefined) return undefined;
    const person = checkPerson('the result of `personFor`', approver.person);
    return { person, roles: approver.roles && checkRoles(approver.roles) };
  }

  /** Returns true if the hold is open and equals the card. Otherwise updates the card. */
  async #isCurrent({ card, cards }: KnownClick): Promise<boolean> {
    const hold = (await cards.facts(card.holdId))?.hold;
    const { state, digest, revision = 0 } = hold ?? {};
    if (state === 'open' && digest === card.digest && revision === card.revision) return true;
    await cards.update(card.holdId);
    return false;
  }

  /**
   * Records a decision about the call that the card showed. Returns a notice for the user if
   * nothing was recorded.
   */
  async #decide(known: KnownClick, decision: Decision): Promise<string | undefined> {
    const { approver, card, cards } = known;
    if (!(await this.#isCurrent(known))) return STALE;
    const facts = await cards.facts(card.holdId);
    if (decision.kind === 'approve' && (facts === undefined || !isApprovable(facts)))
      return TOO_LONG;
    const { person: by, roles } = approver;
    try {
      const { digest } = card;
      await this.#desk.forTenant(card.tenant).decide(card.holdId, decision, { by, roles, digest });
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      if (isInternalCode(error.code)) throw error;
      await cards.update(card.holdId);
      return plainText(error.message);
    }
    await cards.update(card.holdId);
    return undefined;
  }

  /** Sends a notice that only the user sees, to the channel or the thread of the card. */
  async #notice(
    { user, threadId }: Click,
    card: HoldCard | undefined,
    text: string,
  ): Promise<void> {
    const options = { fallbackToDM: true };
    if (card !== undefined) {
      const { targetId, isThread } = card;
      const target = isThread ? this.#bot.thread(targetId) : this.#bot.channel(targetId);
      await target.postEphemeral(user, text, options);
    } else if (threadId !== undefined && threadId !== '') {
      await this.#bot.thread(threadId).channel.postEphemeral(user, text, options);
    }
  }

  #cardsOf(tenant: string): HoldCards {
    return new HoldCards(this.#desk.forTenant(tenant), this.#bot, this.#store);
  }
}

/** The texts of a form with one field. */
interface FormTexts extends Pick<ModalElement, 'callbackId' | 'title' | 'submitLabel'> {
  readonly label: string;
  readonly optional: boolean;
}

const DENIAL: FormTexts = {
  callbackId: DENY,
  title: 'Deny the call',
  submitLabel: 'Deny',
  label: 'Reason for the agent',
  optional: true,
};
const REQUEST: FormTexts = {
  callbackId: CHANGES,
  title: 'Request changes',
  submitLabel: 'Request changes',
  label: 'Question or changes for the agent',
  optional: false,
};

function textForm({ label, optional, ...texts }: FormTexts, cardId: string): ModalElement {
  return {
    type: 'modal',
    ...texts,
    closeLabel: 'Cancel',
    privateMetadata: cardId,
    children: [
      { type: 'text_input', id: REASON, label, multiline: true, optional, maxLength: MAX_REASON },
    ],
  };
}

const REMINDER = 'Reminder: this call still needs a decision.';
const UNKNOWN_CARD = 'This card is no longer known. Nothing was decided. Open the inbox.';
const UNKNOWN_PERSON =
  'You are not known at this desk. Nothing was decided. Ask an administrator for access.';
const NO_FORM =
  'This platform has no forms, so changes cannot be requested here. Nothing was recorded. Open the inbox.';
const NO_TEXT = 'A request for changes needs a text. Nothing was recorded.';
const STALE =
  'The call was decided or has changed since this card was shown. Nothing was recorded. The card is up to date now.';
const TOO_LONG =
  'The call is too long for a card. Nothing was decided. Open the inbox to review and approve it.';
const FAILED =
  'The decision could not be processed. Read the hold in the inbox before you try again.';
