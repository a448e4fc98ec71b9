import { AgentError } from '../../errors/agent-errors.ts';
import { isThrown } from '../../errors/thrown.ts';
import { ClientCallIds } from '../front-end/call-ids.ts';
import type {
  ChatAccess,
  ChatBackend,
  ChatPrompt,
  ChatTurn,
  OpenChat,
  PendingChat,
} from '../front-end/chat-backend.ts';
import type { ChatOptions } from '../front-end/chat-options.ts';
import { ChatProblem } from '../front-end/chat-problem.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import type { ResumedCalls } from './chunk-fold.ts';
import { uiPromptParts } from './content-parts.ts';
import { endWithoutLoop } from './end-without-loop.ts';
import { storedResponse } from './stored-response.ts';
import { LiveResponse } from './live-response.ts';
import { DEFAULT_MAX_BODY_BYTES, readJsonBody } from '../front-end/read-body.ts';
import { idInPath } from '../front-end/read-id.ts';
import { authorizeChat } from '../front-end/authorize-chat.ts';
import { readDecisions } from './read-decisions.ts';
import { catchUpChunks, replayChunks } from './replay-chunks.ts';
import { requestAgainChunks } from './request-chunks.ts';
import { toUiMessages } from './ui-messages.ts';
import { uiMessageChunks } from './ui-message-chunks.ts';
import type { UiMessage } from './ui-message.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

/** A response that is being generated, and the message before it. */
interface ActiveResponse {
  readonly live: LiveResponse;
  /** The parts of the message that earlier responses contain. */
  readonly prefix: readonly UiMessageChunk[];
}

/** The endpoints of a chat. */
export class ChatEndpoints<Access extends ChatAccess> {
  readonly #backend: ChatBackend<Access>;
  readonly #options: ChatOptions<Access>;
  /** The conversations whose run executes in this handler; `undefined` while a request opens one. */
  readonly #active = new Map<string, ActiveResponse | undefined>();

  constructor(backend: ChatBackend<Access>, options: ChatOptions<Access>) {
    this.#backend = backend;
    this.#options = options;
  }

  /** Handles a request. It never throws. */
  async handle(request: Request): Promise<Response> {
    try {
      return await this.#route(request);
    } catch (error) {
      if (error instanceof ChatProblem) return error.toResponse();
      this.#options.onError?.(error);
      return new ChatProblem(500, 'The request failed.').toResponse();
    }
  }

  async #route(request: Request): Promise<Response> {
    if (request.method === 'POST') return this.#post(request);
    if (request.method !== 'GET') throw new ChatProblem(405, 'Use `POST` or `GET`.');
    const segments = new URL(request.url).pathname.split('/');
    const isStream = segments.at(-1) === 'stream' && segments.length > 2;
    const chatId = idInPath(segments.at(isStream ? -2 : -1));
    const access = await authorizeChat(this.#options, request, chatId);
    if (access instanceof Response) return access;
    return isStream ? this.#reconnect(access) : this.#history(access);
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
    const ended = withToken(endWithoutLoop(chunks, context.decided), turn);
    // The chunks report every error, so this promise never rejects.
    void live.drive(ended, () => this.#active.delete(conversationId));
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
