import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { UserContent } from '../../messages/content.ts';
import { authorizeChat } from '../front-end/authorize-chat.ts';
import { ClientCallIds } from '../front-end/call-ids.ts';
import type {
  ChatAccess,
  ChatBackend,
  ChatPrompt,
  ChatTurn,
  TurnOptions,
} from '../front-end/chat-backend.ts';
import type { AgUiOptions } from './ag-ui-options.ts';
import { ChatProblem } from '../front-end/chat-problem.ts';
import { DEFAULT_MAX_BODY_BYTES, readJsonBody } from '../front-end/read-body.ts';
import { idInPath } from '../front-end/read-id.ts';
import { promptIdOf } from '../front-end/stored-history.ts';
import { readClientTools } from './client-tools.ts';
import { eventResponse } from './event-response.ts';
import { isInterrupt } from './interrupts.ts';
import { readPromptContent } from './prompt-content.ts';
import { type ClientDecisions, readInterruptDecisions } from './read-decisions.ts';
import { readRunInput, tokenOfInput } from './run-input.ts';
import { agUiSnapshot } from './snapshot.ts';
import {
  storedEvents,
  type ThreadRequest,
  type ThreadEvents,
  turnEvents,
} from './thread-events.ts';

/** The response to a request. */
interface ThreadResponse {
  readonly events: ThreadEvents;
  /** Stops the run. */
  readonly stop?: (() => void) | undefined;
}

/** The endpoints of a thread. */
export class AgUiEndpoints<Access extends ChatAccess> {
  readonly #backend: ChatBackend<Access>;
  readonly #options: AgUiOptions<Access>;
  /** The conversations whose run executes in this handler. */
  readonly #active = new Set<string>();

  constructor(backend: ChatBackend<Access>, options: AgUiOptions<Access>) {
    this.#backend = backend;
    this.#options = options;
  }

  /** Handles a request. It never throws. */
  async handle(request: Request): Promise<Response> {
    try {
      if (request.method === 'POST') return await this.#post(request);
      if (request.method === 'GET') return await this.#snapshot(request);
      throw new ChatProblem(405, 'Use `POST` or `GET`.');
    } catch (error) {
      if (error instanceof ChatProblem) return error.toResponse();
      this.#options.onError?.(error);
      return new ChatProblem(500, 'The request failed.').toResponse();
    }
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
