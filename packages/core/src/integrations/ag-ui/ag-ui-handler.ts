import type { AnyTools, AnyToolsets } from '../../agent/agent-options.ts';
import { sseResponse } from '../../agent/server-sent-events.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { UserContent } from '../../messages/content.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import { agentBackend } from '../front-end/agent-backend.ts';
import { ClientCallIds } from '../front-end/call-values.ts';
import type {
  ChatAccess,
  ChatBackend,
  ChatPrompt,
  ChatTurn,
  TurnOptions,
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
import { promptIdOf } from '../front-end/run-backend.ts';
import { type ClientDecisions, isInterrupt, readInterruptDecisions } from './interrupts.ts';
import type { AgUiEvent } from './protocol.ts';
import { readClientTools, readPromptContent, readRunInput, tokenOfInput } from './run-input.ts';
import { agUiSnapshot } from './snapshot.ts';
import {
  storedEvents,
  type ThreadEvents,
  type ThreadRequest,
  turnEvents,
} from './thread-events.ts';

/** Options of `agUiHandler` in addition to those of `chatHandler`. */
export interface ClientToolOptions {
  /** Offers the tools that the client sends to the model. Their calls are external. Defaults to true. */
  readonly clientTools?: boolean | undefined;
}

/** Options of `agUiHandler` that do not depend on the storage. */
export interface AgUiOptions<Access extends ChatAccess>
  extends ChatOptions<Access>,
    ClientToolOptions {}

/** Options of `agUiHandler` with an agent of this process. */
export type AgUiHandlerOptions<
  Access extends ChatAccess,
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
> = ChatHandlerOptions<Access, Tools, Output, Own, Toolsets> & ClientToolOptions;

/** Options of `agUiHandler` with another backend, such as a desk. */
export type AgUiBackendOptions<Access extends ChatAccess> = ChatBackendOptions<Access> &
  ClientToolOptions;

/** Handles a request of an AG-UI client. */
export type AgUiHandler = (request: Request) => Promise<Response>;

/**
 * Returns a handler for the requests of AG-UI clients, such as `HttpAgent`. It uses only the prompt, the decisions by
 * id, the results of external calls and the definitions of the client's tools. All other data comes from the storage.
 *
 * - `POST` with a `RunAgentInput`: starts or resumes a run, and streams it
 * - `GET …/{threadId}`: the messages, interrupts and pending tool calls of a thread
 *
 * @example
 * const handle = agUiHandler({ agent, load, save, authorize })
 * app.all('/agent/*', (c) => handle(c.req.raw))
 */
export function agUiHandler<Access extends ChatAccess>(
  options: AgUiBackendOptions<Access>,
): AgUiHandler;
export function agUiHandler<
  Access extends ChatAccess,
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
>(options: AgUiHandlerOptions<Access, Tools, Output, Own, Toolsets>): AgUiHandler;
export function agUiHandler<Access extends ChatAccess>(
  options: AgUiBackendOptions<Access> | AgentChatOptions<Access>,
): AgUiHandler {
  checkHandlerOptions('agUiHandler', options, { clientTools: 'boolean' });
  const backend = 'backend' in options ? options.backend : agentBackend(options);
  const endpoints = new AgUiEndpoints(backend, options);
  return (request) => endpoints.handle(request);
}

/** The response to a request. */
interface ThreadResponse {
  readonly events: ThreadEvents;
  /** Stops the run. */
  readonly stop?: (() => void) | undefined;
}

/** The endpoints of a thread. */
class AgUiEndpoints<Access extends ChatAccess> {
  readonly #backend: ChatBackend<Access>;
  readonly #options: AgUiOptions<Access>;
  /** The conversations whose run executes in this handler. */
  readonly #active = new Set<string>();

  constructor(backend: ChatBackend<Access>, options: AgUiOptions<Access>) {
    this.#backend = backend;
    this.#options = options;
  }

  /** Handles a request. It never throws. */
  handle(request: Request): Promise<Response> {
    return respondSafely(() => this.#route(request), this.#options.onError);
  }

  async #route(request: Request): Promise<Response> {
    if (request.method === 'POST') return this.#post(request);
    if (request.method === 'GET') return this.#snapshot(request);
    throw new ChatProblem(405, 'Use `POST` or `GET`.');
  }

  async #snapshot(request: Request): Promise<Response> {
    const threadId = idInPath(new URL(request.url).pathname.split('/').at(-1));
    const access = await authorizeChat(this.#options, request, threadId);
    if (access instanceof Response) return access;
    const { messages, requests } = await this.#backend.open(access, undefined);
    return Response.json(agUiSnapshot(messages, { requests }), {
      headers: { 'cache-control': 'no-store' },
    });
  }

  async #post(request: Request): Promise<Response> {
    const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES, onDisconnect } = this.#options;
    const input = readRunInput(await readJsonBody(request, maxBodyBytes));
    const access = await authorizeChat(this.#options, request, input.threadId);
    if (access instanceof Response) return access;
    const { conversationId } = access;
    if (this.#active.has(conversationId)) {
      throw new ChatProblem(409, 'A run of this thread is in progress. Wait for its end.');
    }
    this.#active.add(conversationId);
    try {
      const chat = await this.#backend.open(access, tokenOfInput(input));
      const reopen = (token: string | undefined) => this.#backend.open(access, token);
      const { events, stop } = await this.#respond({ input, chat, reopen });
      const released = this.#releaseAfter(events, conversationId);
      return eventResponse(released, onDisconnect === 'stop' ? stop : undefined);
    } catch (error) {
      this.#active.delete(conversationId);
      throw error;
    }
  }

  async *#releaseAfter(events: ThreadEvents, conversationId: string): ThreadEvents {
    try {
      yield* events;
    } finally {
      this.#active.delete(conversationId);
    }
  }

  async #respond(thread: ThreadRequest): Promise<ThreadResponse> {
    const { input, chat } = thread;
    const { requests } = chat;
    const prompt = this.#newPrompt(thread);
    if (requests === undefined) {
      // Without a new prompt, the request repeats an earlier one, or another client decided first.
      return prompt === undefined ? stored(thread) : this.#prompt(thread, prompt);
    }
    if (prompt !== undefined) {
      const mayCancel = this.#options.onPendingCalls === 'cancel';
      return mayCancel || areDismissed(requests, thread)
        ? this.#prompt(thread, prompt)
        : rejectPrompt(thread, requests);
    }
    const ids = ClientCallIds.after(chat.messages);
    const decisions = readInterruptDecisions(input, requests, ids, this.#readOptions);
    const isRejected = decisions.notes.size > 0 || decisions.entries.length === 0;
    return isRejected ? stored(thread, decisions.notes) : this.#decide(thread, decisions);
  }

  get #readOptions() {
    return { allowFileUrl: this.#options.allowFileUrl ?? (() => false) };
  }

  /** Returns the prompt of a request; `undefined` if the thread contains its last message already. */
  #newPrompt({ input, chat }: ThreadRequest): ChatPrompt | undefined {
    const known = new Set(chat.messages.map(promptIdOf));
    const last = input.prompts.at(-1);
    if (last === undefined || known.has(last.id)) return undefined;
    const contents = input.prompts
      .filter(({ id }) => !known.has(id))
      .map(({ content }) => readPromptContent(content, this.#readOptions));
    const isText = contents.every((content) => typeof content === 'string');
    const content = isText
      ? contents.join('\n\n')
      : contents.flatMap((one): readonly UserContent[] => (typeof one === 'string' ? [one] : one));
    return { id: last.id, content };
  }

  async #prompt(thread: ThreadRequest, prompt: ChatPrompt): Promise<ThreadResponse> {
    const turn = await thread.chat.prompt(prompt, this.#turnOptions(thread));
    return this.#turn(thread, turn);
  }

  async #decide(thread: ThreadRequest, decisions: ClientDecisions): Promise<ThreadResponse> {
    const turn = await thread.chat.decide(decisions.entries, this.#turnOptions(thread));
    if (turn.kind === 'turn') return this.#turn(thread, turn, decisions);
    return { events: storedEvents(thread, turn.requests, turn.notes) };
  }

  #turnOptions({ input }: ThreadRequest): TurnOptions {
    const { clientTools = true } = this.#options;
    return { clientTools: clientTools ? readClientTools(input.tools) : undefined };
  }

  #turn(thread: ThreadRequest, turn: ChatTurn, decisions?: ClientDecisions): ThreadResponse {
    const onError = (error: unknown) => this.#options.onError?.(error);
    return { events: turnEvents(thread, turn, { decisions, onError }), stop: turn.stop };
  }
}

function stored(thread: ThreadRequest, notes?: ReadonlyMap<string, string>): ThreadResponse {
  return { events: storedEvents(thread, thread.chat.requests, notes) };
}

/** Returns whether the client dismissed all pending calls, so that a prompt may replace them. */
function areDismissed(requests: DeferredToolRequests, { input }: ThreadRequest): boolean {
  return [...requests].every(({ id }) => input.resume.get(id)?.status === 'cancelled');
}

/** Rejects a prompt. A client without the approval requests receives them, because it rejects prompts only then. */
function rejectPrompt(thread: ThreadRequest, requests: DeferredToolRequests): ThreadResponse {
  const note = 'Decide the pending calls before you send a new message.';
  if (![...requests].some(isInterrupt)) throw new ChatProblem(409, note);
  return stored(thread, new Map([...requests].map(({ id }) => [id, note])));
}

/**
 * Returns a response with events. The events proceed without the client, so that a run does not stop halfway because a
 * connection broke. `onLeave` is called if the client leaves before the end.
 */
function eventResponse(events: AsyncIterable<AgUiEvent>, onLeave?: () => void): Response {
  const encoder = new TextEncoder();
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      void send(controller);
    },
    cancel() {
      isOpen = false;
      onLeave?.();
    },
  });
  return sseResponse(body);

  async function send(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for await (const event of events) {
        if (isOpen) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      }
      if (isOpen) controller.close();
    } catch (error) {
      // Only `onError` of the application can throw here. The connection breaks off.
      if (isOpen) controller.error(error);
    }
  }
}
