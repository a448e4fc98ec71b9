import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that Slack received. */
export interface SlackRequest {
  readonly method: string;
  readonly body: Readonly<Record<string, string>>;
}

/** A part of a message or a form, in the format of Slack. */
export interface SlackBlock {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly elements?: readonly SlackElement[];
}

/** A button of a message. */
export interface SlackElement {
  readonly action_id: string;
  readonly value?: string;
  readonly url?: string;
}

/** The current state of a message in a channel. */
export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string | undefined;
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

/**
 * A server on this machine that simulates the Web API of Slack. It stores messages and records
 * requests.
 */
export class SlackApi implements AsyncDisposable {
  readonly requests: SlackRequest[] = [];
  readonly messages = new Map<string, SlackMessage>();
  readonly #server: Server;
  #fails = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(): Promise<SlackApi> {
    const server = createServer();
    const api = new SlackApi(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      const method = request.url?.split('/').pop() ?? '';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(api.#respond(method, body)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return api;
  }

  /** The address for the option `apiUrl` of the adapter. */
  get url(): string {
    // A listening TCP server has an address with a port.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/`;
  }

  /** The messages of a channel, the oldest first; those of a thread if it is given. */
  in(channel: string, threadTs?: string): readonly SlackMessage[] {
    const all = [...this.messages.values()];
    return all.filter((one) => one.channel === channel && one.threadTs === threadTs);
  }

  /** The requests of a method. */
  of(method: string): readonly SlackRequest['body'][] {
    return this.requests.filter((one) => one.method === method).map(({ body }) => body);
  }

  /** Makes the next requests that post a message fail. */
  failPosts(count: number): void {
    this.#fails = count;
  }

  #respond(method: string, body: SlackRequest['body']): object {
    this.requests.push({ method, body });
    switch (method) {
      case 'auth.test':
        return { ok: true, user_id: 'UBOT', bot_id: 'B1', team_id: 'T1', user: 'desk' };
      case 'chat.postMessage':
        if (this.#fails-- > 0) return { ok: false, error: 'fatal_error' };
        return this.#store(`1700000000.${String(this.messages.size).padStart(6, '0')}`, body);
      case 'chat.update':
        return this.messages.has(body['ts'] ?? '')
          ? this.#store(body['ts'] ?? '', body)
          : { ok: false, error: 'message_not_found' };
      case 'chat.postEphemeral':
        return { ok: true, message_ts: '1700000000.900000' };
      case 'views.open':
        return { ok: true, view: { id: 'V1' } };
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }

  #store(ts: string, { channel = '', thread_ts, text = '', blocks = '[]' }: SlackRequest['body']) {
    const threadTs = this.messages.get(ts)?.threadTs ?? thread_ts;
    this.messages.set(ts, { channel, ts, threadTs, text, blocks: JSON.parse(blocks) });
    return { ok: true, ts, channel, message: { ts } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
