import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { AgentError } from '../../errors/agent-errors.ts';
import { isThrown } from '../../errors/thrown.ts';
import { ClientCallIds } from '../front-end/call-values.ts';
import type { ChatTurn, OpenChat } from '../front-end/chat-backend.ts';
import { ChatProblem } from '../front-end/read-request.ts';
import { EventFold } from './ag-ui-events.ts';
import { type ClientDecisions, interruptOutcome, isInterrupt } from './interrupts.ts';
import type { AgUiEvent } from './protocol.ts';
import { type RunInput, TOKEN, tokenOfInput } from './run-input.ts';
import { agUiSnapshot } from './snapshot.ts';

/** The events of a response. */
export type ThreadEvents = AsyncGenerator<AgUiEvent, void, void>;

/** A request to a thread that the caller has access to. */
export interface ThreadRequest {
  readonly input: RunInput;
  readonly chat: OpenChat;
  /** Reads the conversation again. */
  readonly reopen: (token: string | undefined) => Promise<OpenChat>;
}

/** The context of a run. */
export interface ThreadTurn {
  /** The decisions that the run resumes with. */
  readonly decisions: ClientDecisions | undefined;
  readonly onError: (error: unknown) => void;
}

/** Yields the stored state of a thread, without executing a run. */
export async function* storedEvents(
  { input, chat }: ThreadRequest,
  requests: DeferredToolRequests | undefined,
  notes?: ReadonlyMap<string, string>,
): ThreadEvents {
  yield new EventFold({ run: input, ids: new ClientCallIds() }).start();
  yield* threadState(input, { messages: chat.messages, requests }, notes);
}

/** Yields the events of a run. */
export async function* turnEvents(
  thread: ThreadRequest,
  turn: ChatTurn,
  { decisions, onError }: ThreadTurn,
): ThreadEvents {
  const { input, chat } = thread;
  const fold = new EventFold({
    run: input,
    ids: ClientCallIds.after(chat.messages),
    resumed: chat.requests,
    supplied: decisions?.supplied,
  });
  yield fold.start();
  try {
    for await (const event of turn.events) {
      if (event.kind === 'run-result') yield* tokenEvents(input, turn);
      yield* fold.add(event);
    }
  } catch (error) {
    onError(error);
    yield* fold.close();
    yield* tokenEvents(input, turn);
    yield* await failureEvents(thread, turn, error);
  }
}

/** Returns the token of a sealed conversation. Clients send their state back with the next request. */
function tokenEvents({ state }: RunInput, { token }: ChatTurn): AgUiEvent[] {
  const value = token?.();
  if (value === undefined) return [];
  return [{ type: 'STATE_SNAPSHOT', snapshot: { ...state, [TOKEN]: value } }];
}

/**
 * Returns the end of a run that failed. Clients accept no message while they have interrupts, and keep them after an
 * error. Therefore a resume that was rejected ends with the calls that are pending now.
 */
async function failureEvents(
  { input, reopen }: ThreadRequest,
  turn: ChatTurn,
  error: unknown,
): Promise<AgUiEvent[]> {
  const code = isThrown(error, AgentError) ? error.code : undefined;
  const token = turn.token?.() ?? tokenOfInput(input);
  // The pending calls of a token that was used before cannot be decided again.
  const isUsed = code === 'already-resumed' && token !== undefined;
  const chat = isUsed ? undefined : await reopen(token).catch(() => undefined);
  const requests = chat?.requests;
  if (chat === undefined || requests === undefined || ![...requests].some(isInterrupt)) {
    return [{ type: 'RUN_ERROR', message: messageText(error, code), ...(code && { code }) }];
  }
  const note = `The last decision was not accepted. ${messageText(error, code)}`;
  return threadState(input, chat, new Map([...requests].map(({ id }) => [id, note])));
}

/** Returns the text for the client. Messages of errors may contain data of the server. */
function messageText(error: unknown, code: string | undefined): string {
  if (isThrown(error, ChatProblem)) return error.message;
  return code === 'already-resumed' ? 'These calls were decided before.' : 'The run failed.';
}

/** Returns the messages of a conversation and the end of a run. */
function threadState(
  { threadId, runId, protocolVersion }: RunInput,
  { messages, requests }: Pick<OpenChat, 'messages' | 'requests'>,
  notes?: ReadonlyMap<string, string>,
): AgUiEvent[] {
  const ids = ClientCallIds.after(messages);
  const outcome = interruptOutcome(requests, { ids, protocolVersion, notes });
  return [
    { type: 'MESSAGES_SNAPSHOT', messages: agUiSnapshot(messages, { requests }).messages },
    { type: 'RUN_FINISHED', threadId, runId, outcome },
  ];
}
