import { createMemoryState } from '@chat-adapter/state-memory';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import {
  type AnyDeskAgent,
  type Desk,
  openDesk,
  type Person,
  type ServedDeskOptions,
  sqliteStore,
} from '@holdpoint/desk';
import { type ChatApprovals, chatApprovals } from '@holdpoint/desk/chat';
import { type Adapter, Chat, ConsoleLogger } from 'chat';
import { type Bank, newBank, teller } from '../../support/bank.ts';
import { TestClock } from '../../support/opened-store.ts';
import { TelegramApi, type TelegramButton, type TelegramMessage } from './telegram-api.ts';

const SECRET = 'a-secret-of-the-webhook';

/** The group where cards are posted. */
const GROUP = '-1001';

/** The people of the application, by their ids in the chat. */
const PEOPLE = new Map([
  ['77', { person: { id: 'grace', name: 'Grace' }, roles: ['lead'] }],
  ['78', { person: { id: 'lin' }, roles: ['lead'] }],
]);

type Options = Partial<Omit<ServedDeskOptions<never>, 'store' | 'agents' | 'notify'>>;

interface Parts {
  readonly desk: Desk;
  readonly telegram: TelegramApi;
  readonly bot: Chat<{ telegram: Adapter }>;
  readonly approvals: ChatApprovals;
  readonly bank: Bank;
  /** Errors that the desk reported. */
  readonly errors: unknown[];
}

/** A desk whose holds are posted to Telegram, by the real adapter. */
export class TelegramDesk implements AsyncDisposable {
  readonly parts: Parts;
  #updates = 0;

  private constructor(parts: Parts) {
    this.parts = parts;
  }

  static async open({
    agent = teller,
    ...options
  }: Options & { readonly agent?: AnyDeskAgent } = {}): Promise<TelegramDesk> {
    const telegram = await TelegramApi.listen();
    const adapter = createTelegramAdapter({
      botToken: '1:token',
      secretToken: SECRET,
      mode: 'webhook',
      apiUrl: telegram.url,
      logger: new ConsoleLogger('silent'),
    });
    const bot = new Chat({
      userName: 'desk_bot',
      // The declarations of the adapter are not exact about optional members, as our compiler options demand.
      adapters: { telegram: adapter as Adapter },
      state: createMemoryState(),
      logger: 'silent',
    });
    await bot.initialize();
    const bank = newBank();
    const errors: unknown[] = [];
    const desk: Desk = openDesk({
      store: await sqliteStore({ now: new TestClock().now }),
      agents: { teller: { agent, deps: () => bank } },
      url: 'https://desk.example',
      onError: (error) => errors.push(error),
      async notify(event) {
        await approvals.notify(event);
      },
      ...options,
    });
    const approvals = chatApprovals({
      desk,
      bot,
      channelFor: () => bot.channel(`telegram:${GROUP}`),
      personFor: ({ id, platform }) => (platform === 'telegram' ? PEOPLE.get(id) : undefined),
    });
    return new TelegramDesk({ desk, telegram, bot, approvals, bank, errors });
  }

  /** Starts a run that parks on a payment, and delivers its events. Returns the id of the hold. */
  async pay(prompt = 'pay acme', requester: Person = { id: 'ada' }): Promise<string> {
    const { desk } = this.parts;
    const runId = await desk.start('teller', prompt, { requester });
    await desk.drain();
    const { items } = await desk.holds({ runId });
    return items[0]?.id ?? '';
  }

  /** The messages of the group, the oldest first. */
  get messages(): readonly TelegramMessage[] {
    return this.parts.telegram.in(GROUP);
  }

  /** The first message of the group. */
  get card(): TelegramMessage {
    const [message] = this.messages;
    if (message === undefined) throw new Error('There is no card.');
    return message;
  }

  /** The private messages that a user received. */
  notices(user: string): readonly string[] {
    return this.parts.telegram.in(user).map(({ text }) => text);
  }

  /** A button of the card, by its label. */
  button(label: string): TelegramButton | undefined {
    return this.card.buttons.find(({ text }) => text === label);
  }

  /** Presses a button of the card, and waits until the click is handled. */
  async press(
    label: string,
    {
      user = '77',
      secret = SECRET,
      data = this.button(label)?.callback_data ?? 'missing',
      update = (this.#updates +=
        1),
    }: {
      readonly user?: string;
      readonly secret?: string;
      readonly data?: string | undefined;
      /** The id of the update. Telegram sends an update again after an error. */
      readonly update?: number;
    } = {},
  ): Promise<Response> {
    const from = { id: Number(user), is_bot: false, first_name: 'User', username: `user${user}` };
    const chat = { id: Number(GROUP), type: 'group', title: 'Approvals' };
    const { messageId: message_id, text } = this.card;
    const message = { message_id, date: 1_700_000_000, chat, text };
    const callback_query = { id: `q${update}`, from, message, chat_instance: '1', data };
    const request = new Request('https://app.example/telegram', {
      method: 'POST',
      body: JSON.stringify({ update_id: update, callback_query }),
      headers: {
        'content-type': 'application/json',
        'x-telegram-bot-api-secret-token': secret,
      },
    });
    const tasks: Promise<unknown>[] = [];
    const response = await this.parts.bot.webhooks.telegram(request, {
      waitUntil: (task) => tasks.push(task),
    });
    await Promise.all(tasks);
    return response;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { desk, bot, telegram } = this.parts;
    await desk.close();
    await bot.shutdown();
    await telegram[Symbol.asyncDispose]();
  }
}
