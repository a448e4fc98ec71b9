import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A button of a message, in the format of Telegram. */
export interface TelegramButton {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

/** The body of a request that posts or edits a message. */
interface TelegramBody {
  readonly chat_id: string;
  readonly message_id?: number;
  readonly text: string;
  readonly parse_mode?: string;
}

/** The member of a body that has the buttons, in rows. */
interface TelegramKeyboard {
  readonly inline_keyboard?: readonly (readonly TelegramButton[])[];
}

/** The current state of a message in a chat. */
export interface TelegramMessage {
  readonly chatId: string;
  readonly messageId: number;
  /** The text as users see it, with `*` around bold text. */
  readonly text: string;
  readonly buttons: readonly TelegramButton[];
}

/** The limits of the Bot API, in bytes and characters. */
const MAX_CALLBACK_DATA = 64;
const MAX_TEXT = 4_096;

/** A response without a result. */
class BadRequest extends Error {}

/**
 * A server on this machine that simulates the Bot API of Telegram. It stores messages, and rejects
 * the same requests as Telegram.
 */
export class TelegramApi implements AsyncDisposable {
  /** The methods that were called. */
  readonly methods: string[] = [];
  readonly messages = new Map<number, TelegramMessage>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(): Promise<TelegramApi> {
    const server = createServer();
    const api = new TelegramApi(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const method = request.url?.split('/').pop() ?? '';
      api.methods.push(method);
      response.setHeader('content-type', 'application/json');
      try {
        const result = api.#respond(method, JSON.parse(Buffer.concat(chunks).toString()));
        response.end(JSON.stringify({ ok: true, result }));
      } catch (error) {
        if (!(error instanceof BadRequest)) throw error;
        response.statusCode = 400;
        const description = `Bad Request: ${error.message}`;
        response.end(JSON.stringify({ ok: false, error_code: 400, description }));
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return api;
  }

  /** The address for the option `apiUrl` of the adapter. */
  get url(): string {
    // A listening TCP server has an address with a port.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The messages of a chat, the oldest first. */
  in(chatId: string): readonly TelegramMessage[] {
    return [...this.messages.values()].filter((one) => one.chatId === chatId);
  }

  #respond(method: string, body: TelegramBody): unknown {
    switch (method) {
      case 'getMe':
        return { id: 1, is_bot: true, first_name: 'Desk', username: 'desk_bot' };
      case 'answerCallbackQuery':
        return true;
      case 'sendMessage':
        return this.#store(this.messages.size + 1, body);
      case 'editMessageText':
        return this.#edit(body);
      default:
        throw new BadRequest(`unknown method ${method}`);
    }
  }

  #edit(body: TelegramBody): object {
    const { message_id: messageId = 0 } = body;
    const before = this.messages.get(messageId);
    if (before === undefined) throw new BadRequest('message to edit not found');
    const after = messageOf(messageId, body);
    if (JSON.stringify(before) === JSON.stringify(after)) {
      throw new BadRequest(
        'message is not modified: the new content is exactly the same as the current content',
      );
    }
    return this.#store(messageId, body);
  }

  #store(messageId: number, body: TelegramBody): object {
    const message = messageOf(messageId, body);
    this.messages.set(messageId, message);
    const chat = { id: Number(body.chat_id), type: 'group', title: 'Approvals' };
    return { message_id: messageId, date: 1_700_000_000, chat, text: message.text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function messageOf(messageId: number, body: TelegramBody): TelegramMessage {
  const { chat_id: chatId, parse_mode } = body;
  const text = parse_mode === 'MarkdownV2' ? shownText(body.text) : body.text;
  if (text === '' || text.length > MAX_TEXT) throw new BadRequest('message is too long or empty');
  const members: readonly (TelegramKeyboard | string | number)[] = Object.values(body);
  const buttons = members.flatMap((member) =>
    typeof member === 'object' ? (member.inline_keyboard?.flat() ?? []) : [],
  );
  for (const { callback_data = '' } of buttons) {
    if (Buffer.byteLength(callback_data) > MAX_CALLBACK_DATA) {
      throw new BadRequest('BUTTON_DATA_INVALID');
    }
  }
  return { chatId, messageId, text, buttons };
}

/** Returns a text in MarkdownV2 without escapes. Telegram rejects active characters other than `*` that cards have. */
function shownText(markdown: string): string {
  return markdown.replaceAll(/\\(.)|([_[\]()~`>#+\-=|{}.!])/gs, (_, escaped, active) => {
    if (active !== undefined) throw new BadRequest(`can't parse entities: '${active}' is reserved`);
    return escaped;
  });
}
