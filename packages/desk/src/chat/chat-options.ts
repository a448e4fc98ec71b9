import type { Author, Channel, Chat, Thread } from 'chat';
import { UserError } from 'holdpoint';
import { contextOf } from '../desk/desk-reader.ts';
import type { Desk } from '../desk/desk.ts';
import { checkFunction, checkOptions, kindOf } from '../model/check-keys.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';

/** The person of a chat user, with the roles for the policy of the desk. */
export interface ChatApprover {
  readonly person: Person;
  readonly roles?: readonly string[] | undefined;
}

/** A chat user who used a button. The platform guarantees the id. The user chooses the names. */
export interface ChatUser {
  readonly id: string;
  /** The name of the adapter, such as `slack`. Ids of different platforms can be equal. */
  readonly platform: string;
  /** The tenant of the hold. */
  readonly tenant: string;
  /** The user as the Chat SDK describes them. */
  readonly author: Author;
  /** The payload of the platform, for example for the id of the workspace. */
  readonly raw: unknown;
}

/** The parts of a `Chat` that the cards need. */
export type ChatBot = Pick<Chat, 'onAction' | 'onModalSubmit' | 'channel' | 'thread'>;

/** Options of `chatApprovals`. */
export interface ChatApprovalsOptions {
  readonly desk: Desk;
  /** The bot of the Chat SDK, with the adapters of your platforms. */
  readonly bot: ChatBot;
  /**
   * Returns the channel or the thread for the card of a hold, such as `bot.channel('slack:C123')`; `undefined` for none.
   * Everyone in the channel can read the card.
   */
  readonly channelFor: (
    hold: HoldRow,
  ) => Channel | Thread | undefined | Promise<Channel | Thread | undefined>;
  /**
   * Returns the person of a chat user, with the id with which the person signs in; `undefined` for
   * an unknown user. The desk trusts the result.
   */
  readonly personFor: (
    user: ChatUser,
  ) => ChatApprover | undefined | Promise<ChatApprover | undefined>;
}

/** Validates options. */
export function checkChatOptions(options: ChatApprovalsOptions): ChatApprovalsOptions {
  checkOptions<ChatApprovalsOptions>('`chatApprovals`', options, {
    desk: true,
    bot: true,
    channelFor: true,
    personFor: true,
  });
  const { desk, bot, channelFor, personFor } = options;
  contextOf(desk);
  // Programs without types pass anything.
  const given: unknown = bot;
  if (typeof Object(given).onAction !== 'function') {
    throw new UserError(`\`bot\` is ${kindOf(given)}. Pass a \`Chat\` of the Chat SDK.`);
  }
  requireFunction('channelFor', channelFor);
  requireFunction('personFor', personFor);
  return { desk, bot, channelFor, personFor };
}

function requireFunction(option: string, given: (...args: never) => unknown): void {
  if (checkFunction(option, given) !== undefined) return;
  throw new UserError(`\`chatApprovals\` needs \`${option}\`. Pass a function.`);
}
