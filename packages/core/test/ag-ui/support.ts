import * as latest from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import * as before from 'ag-ui-client-0.0.59';
import { type AgUiEvent, type AgUiHandler, agUiHandler, type AgUiOptions } from 'holdpoint/ag-ui';
import { expect } from 'vitest';
import { present } from '../support/present.ts';
import { type Access, authorize, Conversations, type janitor } from '../ai-sdk-ui/support.ts';

/** A client of AG-UI, as far as the tests use it. The types of the versions differ in members that they do not use. */
export interface Client {
  readonly messages: readonly ClientMessage[];
  readonly state: unknown;
  readonly pendingInterrupts: readonly ClientInterrupt[];
  addMessage(message: object): void;
  setMessages(messages: object[]): void;
  runAgent(parameters?: object): Promise<{ result: unknown }>;
}

/** A message in a client. */
export interface ClientMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** An interrupt in a client. */
export interface ClientInterrupt {
  readonly id: string;
  readonly message?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly subagentRunId?: string | undefined;
}

type ClientClass = new (config: object) => Client;

/** A version of the client, with the schema of its events. */
export interface ClientVersion {
  readonly HttpAgent: ClientClass;
  readonly schema: { parse(event: unknown): unknown };
}

/** The versions that the handler supports: the current one, and the one that CopilotKit and assistant-ui use. */
export const versions: readonly (readonly [string, ClientVersion])[] = [
  // `Client` has the members that both versions share.
  ['1.0.0', { HttpAgent: latest.HttpAgent as unknown as ClientClass, schema: EventSchemas }],
  [
    '0.0.59',
    { HttpAgent: before.HttpAgent as unknown as ClientClass, schema: before.EventSchemas },
  ],
];

/** The current version. */
export const current = present(versions[0])[1];

/** A server whose handler stores threads with `load` and `save`. */
export function storedThreads(
  agent: object,
  options: Partial<AgUiOptions<Access>> & Partial<Pick<Conversations, 'load' | 'save'>> = {},
  version = current,
) {
  const conversations = new Conversations();
  const { load, save } = conversations;
  // Agents without deps differ only in the types of their tools.
  const shown = agent as ReturnType<typeof janitor>['agent'];
  const handle = agUiHandler({ agent: shown, load, save, authorize, ...options });
  return { conversations, ...threads(handle, version) };
}

/** Sends requests to a handler without a network, and validates every event with the schema of the client. */
export function threads(handle: AgUiHandler, { HttpAgent, schema }: ClientVersion = current) {
  const events: AgUiEvent[] = [];
  const posts: string[] = [];
  const fetchAs =
    (user: string) =>
    async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const request = new Request(url, init);
      request.headers.set('x-user', user);
      if (request.method === 'POST') posts.push(await request.clone().text());
      const response = await handle(request);
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
      const text = await response.text();
      const received = eventsIn(text);
      for (const event of received) schema.parse(event);
      events.push(...received);
      return new Response(text, { headers: response.headers });
    };
  const client = (user = 'ada', threadId = 'thread-1'): Client =>
    new HttpAgent({ url: ADDRESS, threadId, fetch: fetchAs(user) });
  const post = (body: unknown, user = 'ada'): Promise<Response> =>
    fetchAs(user)(ADDRESS, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const snapshot = async (threadId = 'thread-1', user = 'ada'): Promise<Response> =>
    fetchAs(user)(`${ADDRESS}/${threadId}`);
  return { events, posts, client, post, snapshot };
}

const ADDRESS = 'http://agent.test/agent';

/** Returns the events of a response's text. */
export function eventsIn(text: string): AgUiEvent[] {
  return text
    .trim()
    .split('\n\n')
    .map((frame) => JSON.parse(frame.slice('data: '.length)));
}

let prompts = 0;

/** Sends a prompt, and waits for the end of the run. */
export async function say(client: Client, content: string, parameters: object = {}) {
  prompts += 1;
  client.addMessage({ id: `prompt-${prompts}`, role: 'user', content });
  return client.runAgent(parameters);
}

/** Decides all interrupts of a client, in their order, and waits for the end of the run. */
export async function decide(client: Client, payloads: readonly object[], parameters: object = {}) {
  const resume = client.pendingInterrupts.map(({ id }, index) => ({
    interruptId: id,
    status: 'resolved',
    payload: payloads[index],
  }));
  return client.runAgent({ ...parameters, resume });
}

/** Returns the messages of a client in short: `user:Hi`, `assistant:delete_file`, `tool:deleted a`. */
export function outline({ messages }: Pick<Client, 'messages'>): string[] {
  return messages.map(({ role, content, toolCalls = [] }) => {
    const names = toolCalls.map((call) => call.function.name);
    return `${role}:${[content, ...names].filter(Boolean).join(' ')}`;
  });
}

/** Returns the last event of a list, which ends the run. */
export function lastEvent(events: readonly AgUiEvent[]): AgUiEvent {
  const last = present(events.at(-1));
  expect(['RUN_FINISHED', 'RUN_ERROR']).toContain(last.type);
  return last;
}

/** Returns the body of a request. */
export function input(more: object = {}): object {
  return {
    threadId: 'thread-1',
    runId: 'run-1',
    protocolVersion: '1.0',
    messages: [],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
    ...more,
  };
}
