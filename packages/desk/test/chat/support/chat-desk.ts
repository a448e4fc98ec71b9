import { createHmac } from 'node:crypto';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import {
  type AnyDeskAgent,
  type Desk,
  openDesk,
  type Person,
  type ServedDeskOptions,
  sqliteStore,
} from '@holdpoint/desk';
import { type ChatApprovals, type ChatApprovalsOptions, chatApprovals } from '@holdpoint/desk/chat';
import { type Adapter, Chat, ConsoleLogger } from 'chat';
import { type Bank, newBank, teller } from '../../support/bank.ts';
import { TestClock } from '../../support/opened-store.ts';
import { SlackApi, type SlackElement, type SlackMessage } from './slack-api.ts';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';

/** The chat users whom the application knows. */
const PEOPLE = new Map([
  ['U_GRACE', { person: { id: 'grace', name: 'Grace' }, roles: ['lead'] }],
  ['U_LIN', { person: { id: 'lin' }, roles: ['lead'] }],
  ['U_ADA', { person: { id: 'ada' }, roles: ['lead'] }],
  ['U_CLERK', { person: { id: 'kim' }, roles: ['clerk'] }],
]);

type Options = Partial<Omit<ServedDeskOptions<never>, 'store' | 'agents' | 'notify'>>;

function slackAdapter(apiUrl: string): Adapter {
  const webClientOptions = { retryConfig: { retries: 0 } };
  const config = { botToken: 'xoxb-1', signingSecret: SECRET, apiUrl, webClientOptions };
  // The declarations of the adapter are not exact about optional members, as our compiler options demand.
  return createSlackAdapter({ ...config, logger: new ConsoleLogger('silent') }) as Adapter;
}

/** A desk whose holds are posted to Slack, by the real adapter. */
export class ChatDesk implements AsyncDisposable {
  readonly desk: Desk;
  readonly slack: SlackApi;
  readonly bot: Chat<{ slack: Adapter }>;
  readonly approvals: ChatApprovals;
  readonly clock: TestClock;
  readonly bank: Bank;
  /** Errors that the desk reported. */
  readonly errors: unknown[];

  private constructor(
    parts: Omit<
      ChatDesk,
      | 'press'
      | 'submit'
      | 'send'
      | 'pay'
      | 'card'
      | 'button'
      | 'notices'
      | typeof Symbol.asyncDispose
    >,
  ) {
    this.desk = parts.desk;
    this.slack = parts.slack;
    this.bot = parts.bot;
    this.approvals = parts.approvals;
    this.clock = parts.clock;
    this.bank = parts.bank;
    this.errors = parts.errors;
  }

  static async open(
    options: Options & {
      readonly agent?: AnyDeskAgent;
      readonly channelFor?: (bot: Chat) => ChatApprovalsOptions['channelFor'];
    } = {},
  ): Promise<ChatDesk> {
    const { agent = teller, channelFor, ...extra } = options;
    const slack = await SlackApi.listen();
    const bot = new Chat({
      userName: 'desk',
      adapters: {
        slack: slackAdapter(slack.url),
      },
      state: createMemoryState(),
      logger: 'silent',
    });
    await bot.initialize();
    const clock = new TestClock();
    const bank = newBank();
    const errors: unknown[] = [];
    const desk: Desk = openDesk({
      store: await sqliteStore({ now: clock.now }),
      agents: { teller: { agent, deps: () => bank } },
      url: 'https://desk.example',
      onError: (error) => errors.push(error),
      async notify(event) {
        await approvals.notify(event);
      },
      ...extra,
    });
    const approvals = chatApprovals({
      desk,
      bot,
      channelFor: channelFor?.(bot) ?? (() => bot.channel('slack:C1')),
      personFor: ({ id, platform }) => (platform === 'slack' ? PEOPLE.get(id) : undefined),
    });
    return new ChatDesk({ desk, slack, bot, approvals, clock, bank, errors });
  }

  /** Starts a run that parks on payments, and delivers its events. Returns the id of the first hold. */
  async pay(prompt = 'pay acme', requester: Person = { id: 'ada' }): Promise<string> {
    const runId = await this.desk.start('teller', prompt, { requester });
    await this.desk.drain();
    const { items } = await this.desk.holds({ runId });
    return items[0]?.id ?? '';
  }

  /** The first message of a channel. */
  card(index = 0): SlackMessage {
    const message = this.slack.in('C1')[index];
    if (message === undefined) throw new Error('There is no card.');
    return message;
  }

  /** A button of a card, by the end of its id. */
  button(name: string, message = this.card()): SlackElement | undefined {
    const elements = message.blocks.flatMap((block) => block.elements ?? []);
    return elements.find(({ action_id }) => action_id.endsWith(name));
  }

  /** The private notices that a user received. */
  notices(user: string): readonly string[] {
    return this.slack
      .of('chat.postEphemeral')
      .filter((body) => body['user'] === user)
      .map((body) => body['text'] ?? '');
  }

  /** Presses a button of a card, and waits until the click is handled. */
  press(
    name: string,
    options: {
      readonly user?: string;
      readonly secret?: string;
      readonly ageSeconds?: number;
      readonly value?: string | undefined;
      readonly card?: SlackMessage | undefined;
    } = {},
  ): Promise<Response> {
    const { user = 'U_GRACE', card = this.card(), ...more } = options;
    const { value = this.button(name, card)?.value ?? 'missing', ...signing } = more;
    const { ts, channel, threadTs: thread_ts } = card;
    return this.send(
      {
        type: 'block_actions',
        user: { id: user, username: user, name: user, team_id: 'T1' },
        team: { id: 'T1' },
        channel: { id: channel, name: 'approvals' },
        container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
        message: { ts, thread_ts, text: '' },
        actions: [{ type: 'button', action_id: `hold-${name}`, value, block_id: 'b' }],
        trigger_id: 'trigger',
      },
      signing,
    );
  }

  /** Submits the form that was opened last. */
  submit(reason: string, user = 'U_GRACE'): Promise<Response> {
    const view = JSON.parse(this.slack.of('views.open').at(-1)?.['view'] ?? '{}');
    const { callback_id, private_metadata, blocks } = view;
    const [{ block_id = 'reason' }] = blocks;
    const values = { [block_id]: { reason: { type: 'plain_text_input', value: reason } } };
    return this.send({
      type: 'view_submission',
      user: { id: user, username: user, name: user, team_id: 'T1' },
      team: { id: 'T1' },
      view: { id: 'V1', callback_id, private_metadata, state: { values } },
    });
  }

  /** Sends a signed request, and waits until it is handled. */
  async send(
    payload: object,
    {
      secret = SECRET,
      ageSeconds = 0,
    }: { readonly secret?: string; readonly ageSeconds?: number } = {},
  ): Promise<Response> {
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const time = String(Math.floor(Date.now() / 1_000) - ageSeconds);
    const hash = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${hash}`,
    };
    const request = new Request('https://app.example/slack', { method: 'POST', body, headers });
    const tasks: Promise<unknown>[] = [];
    const waitUntil = (task: Promise<unknown>) => tasks.push(task);
    const response = await this.bot.webhooks.slack(request, { waitUntil });
    await Promise.all(tasks);
    return response;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.desk.close();
    await this.bot.shutdown();
    await this.slack[Symbol.asyncDispose]();
  }
}
