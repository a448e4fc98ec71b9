import { randomBytes } from 'node:crypto';
import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { type HoldRow, openDesk, type ServedDesk, sqliteStore } from '@holdpoint/desk';
import { approvalGateway, type McpServerOptions, mcpServer } from '@holdpoint/desk/mcp';
import { Agent, FunctionToolset, InputRequired, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

export const grace = { id: 'grace' };
export const FORMS: ClientCapabilities = { elicitation: { form: {} } };
export const LINKS: ClientCapabilities = { elicitation: { form: {}, url: {} } };

/** A result of a tool call, as a test reads it. */
export interface Shown {
  readonly resultType?: string;
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly inputRequests?: Readonly<Record<string, { readonly params: Record<string, unknown> }>>;
  readonly requestState?: string;
}

/** A desk with an agent and an approval gateway behind an MCP server, and its clients. */
export class ServedMcp implements AsyncDisposable {
  readonly desk: ServedDesk;
  /** The executed deletions. */
  readonly deleted: string[];
  readonly #handler: (request: Request) => Promise<Response>;
  readonly #clients: Client[] = [];

  private constructor(
    desk: ServedDesk,
    deleted: string[],
    handler: (request: Request) => Promise<Response>,
  ) {
    this.desk = desk;
    this.deleted = deleted;
    this.#handler = handler;
  }

  static async open(
    options: Partial<McpServerOptions> & {
      readonly approvers?: object;
      readonly tenant?: string;
    } = {},
  ): Promise<ServedMcp> {
    const { approvers, tenant = 'default', ...given } = options;
    const deleted: string[] = [];
    const tools = guardedTools(deleted);
    const desk: ServedDesk = openDesk({
      store: await sqliteStore(),
      url: 'https://desk.test',
      agents: {
        janitor: { agent: new Agent({ model: janitorModel, tools }) },
        files: { agent: approvalGateway({ toolsets: [new FunctionToolset(tools)] }) },
      },
      ...approvers,
    });
    void desk.startWorker({ pollMs: 50 });
    const server = mcpServer(desk.forTenant(tenant), {
      stateKey: randomBytes(32),
      waitMs: 150,
      ...given,
    });
    const handler = server.http({
      authorize: ({ headers }) => {
        const id = headers.get('authorization');
        return id === null ? undefined : { person: { id } };
      },
    });
    return new ServedMcp(desk, deleted, handler);
  }

  /** Connects a client. With `respond`, the client responds to forms itself. */
  async connect(
    options: {
      readonly capabilities?: ClientCapabilities;
      readonly era?: 'modern' | 'legacy';
      readonly person?: string;
      readonly respond?: (params: Record<string, unknown>) => Promise<ElicitResult> | ElicitResult;
    } = {},
  ): Promise<TestClient> {
    const { capabilities = {}, era = 'modern', person = 'ada', respond } = options;
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities,
        versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
        inputRequired: { autoFulfill: respond !== undefined },
      },
    );
    if (respond) {
      client.setRequestHandler('elicitation/create', ({ params }) => respond({ ...params }));
    }
    await client.connect(
      new StreamableHTTPClientTransport(new URL('https://mcp.test/mcp'), {
        requestInit: { headers: { authorization: person } },
        fetch: (url, init) => this.#handler(new Request(url, init)),
      }),
    );
    this.#clients.push(client);
    return new TestClient(client, respond !== undefined);
  }

  /** Sends a request without a client. */
  fetch(headers: Record<string, string>, body: object): Promise<Response> {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return this.#handler(new Request('https://mcp.test/mcp', init));
  }

  async openHold(): Promise<HoldRow> {
    const { items } = await this.desk.holds();
    return items[0] ?? Promise.reject(new Error('There is no open hold.'));
  }

  async approve(by = grace): Promise<void> {
    const { id, digest } = await this.openHold();
    await this.desk.decide(id, { kind: 'approve' }, { by, digest });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.desk.close();
  }
}

/** A client that sends its requests itself, as an attacker can. */
export class TestClient {
  readonly client: Client;
  readonly #isAutomatic: boolean;

  constructor(client: Client, isAutomatic: boolean) {
    this.client = client;
    this.#isAutomatic = isAutomatic;
  }

  async call(
    name: string,
    args: Record<string, unknown>,
    more: { readonly requestState?: string; readonly inputResponses?: object } = {},
  ): Promise<Shown> {
    const params = { name, arguments: args, ...more };
    const options = this.#isAutomatic ? {} : { allowInputRequired: true };
    // The test reads results of both kinds.
    return (await this.client.callTool(params, options)) as unknown as Shown;
  }
}

/** Returns the text of a result. */
export function textOf({ content = [] }: Shown): string {
  return content.map(({ text }) => text).join('\n');
}

/** Returns the handle in a result. */
export function handleOf(result: Shown): string {
  return /handle "([^"]+)"/.exec(textOf(result))?.[1] ?? '';
}

/** Returns responses to all forms of a result. */
export function responsesTo(result: Shown, response: ElicitResult): Record<string, ElicitResult> {
  return Object.fromEntries(Object.keys(result.inputRequests ?? {}).map((key) => [key, response]));
}

export const approval: ElicitResult = { action: 'accept', content: { decision: 'approve' } };

function guardedTools(deleted: string[]) {
  return [
    tool({
      name: 'delete_file',
      description: 'Deletes a file.',
      inputSchema: z.object({ path: z.string() }),
      requiresApproval: true,
      preview: ({ path }) => `Deletes ${path} for good.`,
      execute({ path }) {
        deleted.push(path);
        return `${path} deleted`;
      },
    }),
    tool({
      name: 'book',
      inputSchema: z.object({}),
      execute(_args, { input }) {
        if (input === undefined) {
          throw new InputRequired({ message: 'How many guests?', schema: z.int().min(1) });
        }
        return `${String(input)} guests`;
      },
    }),
  ];
}

const janitorModel = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'tool-return') return says(`Result: ${String(last.content)}.`);
  const prompt = last?.kind === 'user-prompt' ? String(last.content) : '';
  if (prompt === 'Book.') return calls('book', {});
  return prompt === 'Hello.' ? says('Hello!') : calls('delete_file', { path: prompt });
});
