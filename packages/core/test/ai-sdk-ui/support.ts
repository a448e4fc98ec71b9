import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
  uiMessageChunkSchema,
} from 'ai';
import {
  Agent,
  type AgentOptions,
  ExternalToolset,
  MemoryLedger,
  type Message,
  messageCodec,
  tool,
} from 'holdpoint';
import {
  type ChatHandler,
  type ChatOptions,
  chatHandler,
  type UiMessage,
  type UiMessageChunk,
} from 'holdpoint/ai-sdk-ui';
import { type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { expect } from 'vitest';
import { z } from 'zod';
import { present } from '../support/present.ts';

/** The access in the tests: every user has their own conversations. */
export interface Access {
  readonly conversationId: string;
  readonly user: string;
}

const path = z.object({ path: z.string() });

/** Tools whose executions are listed. */
export function shop() {
  const executed: string[] = [];
  const deleteFile = tool({
    name: 'delete_file',
    inputSchema: path,
    requiresApproval: true,
    preview: (args) => `Deletes ${args.path}`,
    execute: (args) => {
      executed.push(args.path);
      return `deleted ${args.path}`;
    },
  });
  const readFile = tool({
    name: 'read_file',
    inputSchema: path,
    execute: (args) => `content of ${args.path}`,
  });
  const browser = new ExternalToolset([
    {
      name: 'get_location',
      description: 'Returns the place of the user.',
      parametersJsonSchema: { type: 'object', properties: {} },
    },
  ]);
  return { executed, deleteFile, readFile, browser };
}

/** An agent with tools of every kind, and the calls that it executed. */
export function janitor(
  script: readonly ScriptEntry[],
  options: Pick<AgentOptions<readonly [], StringConstructor, unknown>, 'durability'> = {},
) {
  const { executed, deleteFile, readFile, browser } = shop();
  const agent = new Agent({
    name: 'janitor',
    model: scriptedModel(...script),
    tools: [deleteFile, readFile],
    toolsets: [browser],
    durability: { ledger: new MemoryLedger() },
    ...options,
  });
  return { agent, executed };
}

/** The conversations of a server, as text. */
export class Conversations {
  readonly stored = new Map<string, string>();

  readonly load = ({ conversationId }: Access): readonly Message[] | undefined => {
    const text = this.stored.get(conversationId);
    return text === undefined ? undefined : messageCodec.parse(text);
  };

  readonly save = ({ conversationId }: Access, messages: readonly Message[]): void => {
    this.stored.set(conversationId, messageCodec.stringify(messages));
  };
}

/**
 * Permits each user their own conversations. A header names the user; without it there is no
 * access.
 */
export function authorize(request: Request, chatId: string): Access | undefined {
  const user = request.headers.get('x-user');
  return user === null || user === 'stranger'
    ? undefined
    : { conversationId: `${user}/${chatId}`, user };
}

/** A server with the chats of an agent that stores them with `load` and `save`. */
export function storedServer(agent: object, options: Partial<ChatOptions<Access>> = {}) {
  const conversations = new Conversations();
  const { load, save } = conversations;
  // Agents without deps differ only in the types of their tools.
  const shown = agent as ReturnType<typeof janitor>['agent'];
  const handle = chatHandler({ agent: shown, load, save, authorize, ...options });
  return { conversations, ...server(handle) };
}

const MAX_POSTS = 12;

/** Sends requests to a handler without a network, and validates every chunk with the schema of the AI SDK. */
export function server(handle: ChatHandler) {
  const posts: unknown[] = [];
  const chunks: UiMessageChunk[] = [];
  const send = async (request: Request): Promise<Response> => {
    if (request.method === 'POST') {
      posts.push(await request.clone().json());
      // Limits a client that would never stop sending.
      if (posts.length > MAX_POSTS) return new Response('Too many posts.', { status: 500 });
    }
    const response = await handle(request);
    if (response.headers.get('content-type') !== 'text/event-stream') return response;
    const text = await response.text();
    const received = chunksIn(text);
    await requireValidChunks(received);
    chunks.push(...received);
    return new Response(text, { headers: response.headers });
  };
  const fetchAs =
    (user: string): typeof fetch =>
    (input, init) => {
      const request = new Request(new URL(String(input), 'http://chat.test'), init);
      request.headers.set('x-user', user);
      return send(request);
    };
  const post = (body: unknown, user = 'ada'): Promise<Response> =>
    fetchAs(user)('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const history = async (chatId: string, user = 'ada'): Promise<UiMessage[]> =>
    (await fetchAs(user)(`/api/chat/${chatId}`)).json();
  return { posts, chunks, send, fetchAs, post, history };
}

/** Returns the chunks of a response's text. */
export function chunksIn(text: string): UiMessageChunk[] {
  const frames = text.trim().split('\n\n');
  expect(frames.at(-1)).toBe('data: [DONE]');
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.slice('data: '.length)));
}

/** Validates chunks with the schema that the AI SDK's client uses. */
export async function requireValidChunks(chunks: readonly UiMessageChunk[]): Promise<void> {
  const { validate } = uiMessageChunkSchema();
  for (const chunk of chunks) {
    expect(await present(validate)(chunk)).toMatchObject({ success: true });
  }
}

type ChatInit = ConstructorParameters<typeof Chat<UIMessage>>[0];

/** An unmodified chat of `@ai-sdk/react` in Node. */
export function chatWith(
  { fetchAs }: Pick<ReturnType<typeof server>, 'fetchAs'>,
  { user = 'ada', ...init }: ChatInit & { readonly user?: string } = {},
): Chat<UIMessage> {
  return new Chat({
    id: 'chat-1',
    transport: new DefaultChatTransport({ api: '/api/chat', fetch: fetchAs(user) }),
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
    ...init,
  });
}

/** Waits until a chat is idle: it neither streams nor sends its messages again. */
export async function idle(chat: Chat<UIMessage>): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
    quiet = chat.status === 'ready' || chat.status === 'error' ? quiet + 1 : 0;
  }
}

/** Sends a prompt, and waits for the end of the response. */
export async function say(chat: Chat<UIMessage>, text: string): Promise<void> {
  await chat.sendMessage({ text });
  await idle(chat);
}

type ToolPart = Extract<UIMessage['parts'][number], { toolCallId: string }>;

/** Returns the tool parts of the last message. */
export function toolParts(chat: Chat<UIMessage>): ToolPart[] {
  return present(chat.messages.at(-1)).parts.filter((part) => 'toolCallId' in part);
}

/** Returns the ids of the approvals that a chat requests. */
export function requestedApprovals(chat: Chat<UIMessage>): string[] {
  return toolParts(chat).flatMap((part) =>
    part.state === 'approval-requested' ? [part.approval.id] : [],
  );
}

/** Decides a pending call, and waits for the response if the chat sends its messages. */
export async function decide(
  chat: Chat<UIMessage>,
  id: string,
  approved: boolean,
  more: { readonly reason?: string; readonly options?: { readonly body?: object } } = {},
): Promise<void> {
  await chat.addToolApprovalResponse({ id, approved, ...more });
  await idle(chat);
}

/** Returns the parts of a message in one line: `step-start text tool-x:output-available`. */
export function outline({ parts }: { readonly parts: readonly object[] }): string {
  return parts
    .map((part) => {
      const { type, state } = part as { type: string; state?: string };
      return state === undefined || type === 'text' || type === 'reasoning'
        ? type
        : `${type}:${state}`;
    })
    .join(' ');
}

/** Returns the outline of the last message. */
export function lastOutline(chat: Chat<UIMessage>): string {
  return outline(present(chat.messages.at(-1)));
}
