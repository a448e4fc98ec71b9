import type { AnyTools, AnyToolsets } from '../../agent/agent-options.ts';
import { AgentError } from '../../errors/agent-errors.ts';
import { showValue } from '../../errors/show-value.ts';
import { isThrown } from '../../errors/thrown.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import { agentBackend } from '../front-end/agent-backend.ts';
import { ClientCallIds } from '../front-end/call-values.ts';
import { ChatChanges, changesResponse } from '../front-end/chat-changes.ts';
import type {
  ChatAccess,
  ChatBackend,
  ChatPrompt,
  ChatTurn,
  OpenChat,
  PendingChat,
} from '../front-end/chat-backend.ts';
import {
  type AgentChatOptions,
  authorizeChat,
  type ChatBackendOptions,
  type ChatHandlerOptions,
  type ChatOptions,
  checkHandlerOptions,
} from '../front-end/chat-options.ts';
import {
  ChatProblem,
  DEFAULT_MAX_BODY_BYTES,
  idInPath,
  readJsonBody,
  respondSafely,
} from '../front-end/read-request.ts';
import { requestAgainChunks } from './call-chunks.ts';
import { type ChatRequest, readChatRequest, readDecisions } from './chat-request.ts';
import {
  catchUpChunks,
  endWithoutLoop,
  LiveResponse,
  replayChunks,
  storedResponse,
} from './chat-response.ts';
import type { ResumedCalls } from './chunk-fold.ts';
import { uiMessageChunks } from './ui-message-chunks.ts';
import type { UiMessage, UiMessageChunk } from './ui-message.ts';
import { toUiMessages, uiPromptParts } from './ui-messages.ts';

/** Handles a request of a chat. */
export type ChatHandler = (request: Request) => Promise<Response>;

/**
 * Returns a handler for the requests of the AI SDK's `useChat`. It uses only the prompt, the decisions by id and the
 * results of external calls. All other data comes from the storage.
 *
 * - `POST` with the messages of `useChat`: starts or resumes a run, and streams it
 * - `GET …/{chatId}`: the messages of a chat, for `useChat({ messages })`
 * - `GET …/{chatId}/stream`: the response that is being generated, or 204
 * - `GET …/{chatId}/changes`: an event at the start, and after each change of the chat
 *
 * @example
 * const handle = chatHandler({ agent, load, save, authorize })
 * app.all('/api/chat/*', (c) => handle(c.req.raw))
 */
export function chatHandler<Access extends ChatAccess>(
  options: ChatBackendOptions<Access>,
): ChatHandler;
export function chatHandler<
  Access extends ChatAccess,
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
>(options: ChatHandlerOptions<Access, Tools, Output, Own, Toolsets>): ChatHandler;
export function chatHandler<Access extends ChatAccess>(
  options: ChatBackendOptions<Access> | AgentChatOptions<Access>,
): ChatHandler {
  checkHandlerOptions('chatHandler', options);
  const backend = 'backend' in options ? checkBackend(options.backend) : agentBackend(options);
  const endpoints = new ChatEndpoints(backend, options);
  return (request) => endpoints.handle(request);
}

/** Throws unless a backend can open conversations. A desk itself cannot. */
function checkBackend<Backend>(backend: Backend): Backend {
  if (typeof Object(backend).open === 'function') return backend;
  throw new UserError(
    `Option \`backend\` of \`chatHandler\` is ${showValue(backend)} without the method \`open\`. ` +
      'Pass `deskChats(desk, { agent })` of `@holdpoint/desk/chat-ui`, or a `ChatBackend` of your own.',
  );
}

/** The last segments of addresses that are no ids of chats. */
const RESERVED_IDS: ReadonlySet<string> = new Set(['stream', 'changes']);

/** A response that is being generated, and the message before it. */
interface ActiveResponse {
  readonly live: LiveResponse;
  /** The parts of the message that earlier responses contain. */
  readonly prefix: readonly UiMessageChunk[];
}

/** The endpoints of a chat. */
class ChatEndpoints<Access extends ChatAccess> {
  readonly #backend: ChatBackend<Access>;
  readonly #options: ChatOptions<Access>;
  /** The conversations whose run executes in this handler; `undefined` while a request opens one. */
  readonly #active = new Map<string, ActiveResponse | undefined>();
  readonly #changes = new ChatChanges();

  constructor(backend: ChatBackend<Access>, options: ChatOptions<Access>) {
    this.#backend = backend;
    this.#options = options;
  }

  /** Handles a request. It never throws. */
  handle(request: Request): Promise<Response> {
    return respondSafely(() => this.#route(request), this.#options.onError);
  }

  async #route(request: Request): Promise<Response> {
    if (request.method === 'POST') return this.#post(request);
    if (request.method !== 'GET') throw new ChatProblem(405, 'Use `POST` or `GET`.');
    const segments = new URL(request.url).pathname.split('/');
    const last = segments.at(-1) ?? '';
    const isNested = RESERVED_IDS.has(last) && segments.length > 2;
    const chatId = idInPath(segments.at(isNested ? -2 : -1));
    const access = await authorizeChat(this.#options, request, chatId);
    if (access instanceof Response) return access;
    if (!isNested) return this.#history(access);
    return last === 'stream' ? this.#reconnect(access) : this.#watch(access);
  }

  #watch(access: Access): Promise<Response> {
    return changesResponse(
      (listener) =>
        this.#backend.watch?.(access, listener) ??
        this.#changes.watch(access.conversationId, listener),
    );
  }

  async #history(access: Access): Promise<Response> {
    const { messages, requests } = await this.#backend.open(access, undefined);
    return Response.json(toUiMessages(messages, { requests }), {
      headers: { 'cache-control': 'no-store' },
    });
  }

  async #reconnect(access: Access): Promise<Response> {
    const active = this.#active.get(access.conversationId);
    if (active !== undefined) return active.live.toResponse(active.prefix);
    const chat = await this.#backend.open(access, undefined);
    const turn = await chat.follow?.();
    if (turn === undefined) return new Response(null, { status: 204 });
    // The turn has all events of its message, so nothing precedes them.
    const { messageId } = turn;
    return this.#stream(access, turn, { chat, messageId, prefix: [], decided: [] });
  }

  async #post(request: Request): Promise<Response> {
    const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES, allowFileUrl = () => false } = this.#options;
    const body = await readJsonBody(request, maxBodyBytes);
    const chatRequest = readChatRequest(body, { allowFileUrl });
    if (RESERVED_IDS.has(chatRequest.chatId)) {
      throw new ChatProblem(400, `The id \`${chatRequest.chatId}\` is reserved. Use another one.`);
    }
    const access = await authorizeChat(this.#options, request, chatRequest.chatId);
    if (access instanceof Response) return access;
    const { conversationId } = access;
    if (this.#active.has(conversationId)) {
      throw new ChatProblem(
        409,
        'A response to this conversation is in progress. Wait for its end.',
      );
    }
    this.#active.set(conversationId, undefined);
    try {
      return await this.#continue(access, chatRequest);
    } finally {
      if (this.#active.get(conversationId) === undefined) this.#active.delete(conversationId);
    }
  }

  async #continue(access: Access, request: ChatRequest): Promise<Response> {
    const chat = await this.#backend.open(access, request.token);
    return request.prompt === undefined
      ? this.#decide(access, chat, request)
      : this.#prompt(access, chat, request.prompt);
  }

  async #prompt(access: Access, chat: OpenChat, prompt: ChatPrompt): Promise<Response> {
    const shown = toUiMessages(chat.messages, { requests: chat.requests });
    const index = shown.findIndex(({ id, role }) => role === 'user' && id === prompt.id);
    if (index !== -1) return repeat(shown, index, prompt);
    if (chat.requests !== undefined && this.#options.onPendingCalls !== 'cancel') {
      throw new ChatProblem(409, 'Decide the pending calls before you send a new message.');
    }
    const turn = await chat.prompt(prompt);
    const { messageId } = turn;
    return this.#stream(access, turn, { chat, messageId, prefix: [], decided: [] });
  }

  async #decide(access: Access, chat: OpenChat, request: ChatRequest): Promise<Response> {
    const { last } = request;
    const shown = toUiMessages(chat.messages, { requests: chat.requests });
    const message = shown.find(({ id, role }) => role === 'assistant' && id === last?.id);
    if (message === undefined || last === undefined) {
      throw new ChatProblem(409, 'This conversation has changed. Reload the page.');
    }
    const ids = ClientCallIds.after(chat.messages);
    const { requests } = chat;
    const entries = requests === undefined ? [] : readDecisions(request, requests, ids);
    if (requests === undefined || entries.length === 0) {
      // The request repeats an earlier one, or another client decided first. The client receives the current state.
      return storedResponse(message, catchUpChunks(message, last.steps), last.decided);
    }
    const turn = await chat.decide(entries);
    if (turn.kind === 'pending') {
      return storedResponse(message, pendingChunks(turn, ids, last.decided), last.decided);
    }
    const results = requests.buildResults(entries);
    return this.#stream(access, turn, {
      chat,
      messageId: message.id,
      prefix: replayChunks(message),
      resumed: { requests, results },
      decided: last.decided,
    });
  }

  #stream(access: Access, turn: ChatTurn, context: TurnContext): Response {
    const { conversationId } = access;
    const { messageId, resumed, chat, prefix } = context;
    const stop = this.#options.onDisconnect === 'stop' ? turn.stop : undefined;
    const live = new LiveResponse(stop);
    const chunks = uiMessageChunks(turn.events, {
      messageId,
      messageHistory: chat.messages,
      resumed,
      errorText: (error) => this.#errorText(error),
    });
    this.#active.set(conversationId, { live, prefix });
    this.#changes.notify(conversationId);
    const ended = withToken(endWithoutLoop(chunks, context.decided), turn);
    // The chunks report every error, so this promise never rejects.
    void live.drive(ended, () => {
      this.#active.delete(conversationId);
      this.#changes.notify(conversationId);
    });
    return live.toResponse();
  }

  /** Returns the text for the client. Messages of errors may contain data of the server. */
  #errorText(error: unknown): string {
    this.#options.onError?.(error);
    if (isThrown(error, ChatProblem)) return error.message;
    const code = isThrown(error, AgentError) ? error.code : undefined;
    return code === 'already-resumed'
      ? 'These calls were decided before. Reload the page.'
      : 'The run failed.';
  }
}

/** Adds the token of the conversation to the end of the stream. */
async function* withToken(
  chunks: AsyncIterable<UiMessageChunk>,
  { token }: ChatTurn,
): AsyncGenerator<UiMessageChunk, void, void> {
  for await (const chunk of chunks) {
    const value = token?.();
    const isEnd = chunk.type === 'finish' && value !== undefined;
    yield isEnd ? { ...chunk, messageMetadata: { holdpoint: value } } : chunk;
  }
}

interface TurnContext {
  readonly chat: OpenChat;
  readonly messageId: string;
  readonly prefix: readonly UiMessageChunk[];
  readonly resumed?: ResumedCalls;
  /** The calls that the client shows as decided. */
  readonly decided: readonly string[];
}

/** Responds to a prompt that was received before with the response that was generated for it. */
function repeat(shown: readonly UiMessage[], index: number, prompt: ChatPrompt): Response {
  const sent = uiPromptParts(prompt.content);
  if (JSON.stringify(shown[index]?.parts) !== JSON.stringify(sent)) {
    throw new ChatProblem(409, 'A sent message cannot be changed. Send a new one.');
  }
  const next = shown[index + 1];
  if (next?.role === 'assistant') return storedResponse(next, replayChunks(next));
  throw new ChatProblem(409, 'This message was sent before. Reload the page.');
}

function pendingChunks(
  { requests, notes }: PendingChat,
  ids: ClientCallIds,
  decided: readonly string[],
): UiMessageChunk[] {
  const shown = { ids, hasInput: (id: string) => decided.includes(id) };
  return requestAgainChunks([...requests], shown, ({ id }) => notes.get(id));
}
