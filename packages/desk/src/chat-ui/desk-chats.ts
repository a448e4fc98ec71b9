import { type DecisionEntry, UserError } from 'holdpoint';
import type {
  ChatAccess,
  ChatBackend,
  ChatEvent,
  ChatPrompt,
  ChatTurn,
  NewTurn,
  OpenChat,
  PendingChat,
} from 'holdpoint/ai-sdk-ui';
import type { Desk } from '../desk/desk.ts';
import { contextOf } from '../desk/desk-reader.ts';
import { DeskError } from '../errors/desk-error.ts';
import { isInternalCode, publicMessageOf } from '../errors/public-message.ts';
import { adviceFor, checkOptions, kindOf, shownValue } from '../model/check-keys.ts';
import type { Decision } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import { SETTLED_STATES } from '../model/states.ts';
import { stepEventsOf } from '../stream/step-events.ts';
import type { RunStreamEvent } from '../stream/run-stream-event.ts';
import { decisionOf } from './chat-decision.ts';
import { chatId, chatRequests, isShownWhole, type ShownHold } from './chat-requests.ts';
import { ConversationChanges } from './conversation-changes.ts';

/** The access of a user to a conversation at a desk. */
export interface DeskChatAccess extends ChatAccess {
  /** The user. Prompts are requested and decisions are made in this name. */
  readonly by: Person;
  /** The roles of the user, for the policy of the desk. */
  readonly roles?: readonly string[] | undefined;
}

/** Options of {@link deskChats}. */
export interface DeskChatsOptions<Name extends string> {
  /** The name of the agent of new conversations. */
  readonly agent: Name;
}

/**
 * Returns a backend for `chatHandler` of `holdpoint/ai-sdk-ui`: the desk stores the conversations and executes their
 * runs. A decision in the chat is a decision about the hold, with the policy of the desk. Start a worker, too.
 *
 * @example
 * const chat = chatHandler({ backend: deskChats(desk, { agent: 'support' }), authorize })
 */
export function deskChats<Name extends string>(
  desk: Desk<Name>,
  options: DeskChatsOptions<Name>,
): ChatBackend<DeskChatAccess> {
  checkOptions('`deskChats`', options, { agent: true });
  const { agent } = options;
  requireAgent(desk, agent);
  // The runs of all agents of the desk have the same events.
  const changes = new ConversationChanges(desk as Desk);
  return {
    open: (access) => openChat(desk, agent, access),
    watch: ({ conversationId }, listener) => changes.watch(conversationId, listener),
  };
}

/** A chat with an unknown agent would fail with the first message of a user. */
function requireAgent(desk: Desk<string>, agent: unknown): void {
  // Programs without types pass anything.
  const known: unknown = Object(desk).agents;
  if (!Array.isArray(known)) {
    throw new UserError('This is not a desk. Pass what `openDesk` returns to `deskChats`.');
  }
  if (known.includes(agent)) return;
  const given = typeof agent === 'string' ? `\`${agent}\`` : kindOf(agent);
  throw new UserError(
    `The \`agent\` of \`deskChats\` is ${given}, which is no name of an agent at this desk. ` +
      adviceFor(shownValue(agent), known),
  );
}

async function openChat<Name extends string>(
  desk: Desk<Name>,
  agent: Name,
  access: DeskChatAccess,
): Promise<OpenChat> {
  const { conversationId, by } = access;
  const messages = await desk.history(conversationId);
  const [run] = (await desk.runs({ conversationId, limit: 1 })).items;
  const holds = run?.state === 'parked' ? await shownHolds(desk, run.id, access) : [];
  return {
    messages,
    requests: holds.length === 0 ? undefined : chatRequests(holds),
    async prompt({ id, content }: ChatPrompt): Promise<NewTurn> {
      const options = { requester: by, idempotencyKey: id };
      const runId = await (messages.length === 0
        ? desk.start(agent, content, { ...options, conversationId })
        : desk.message(conversationId, content, options));
      return newTurn(desk, runId, access);
    },
    decide: (entries) => decideHolds(desk, holds, entries, access),
    async follow(): Promise<NewTurn | undefined> {
      const isActive = run?.state === 'ready' || run?.state === 'running';
      return isActive ? newTurn(desk, run.id, access) : undefined;
    },
  };
}

/** Records decisions about holds. Returns the resumed run, or all holds of the run if one is still open. */
async function decideHolds(
  desk: Desk<string>,
  shown: readonly ShownHold[],
  entries: readonly DecisionEntry[],
  access: DeskChatAccess,
): Promise<ChatTurn | PendingChat> {
  const runId = shown[0]?.hold.runId ?? '';
  const after = await lastCursor(desk.stream(runId));
  const problems = new Map<string, string>();
  for (const { hold } of shown) {
    const entry = entries.find(({ key }) => key === hold.key);
    const decision = entry && decisionOf(hold, entry);
    if (decision === undefined) continue;
    const problem = await tryDecide(desk, hold, decision, access);
    if (problem !== undefined) problems.set(hold.id, problem);
  }
  const run = await desk.run(runId);
  if (run.state !== 'parked')
    return { kind: 'turn', events: chatEvents(desk, runId, access, after) };
  const holds = await shownHolds(desk, runId, access);
  const notes = new Map(
    holds.map(({ hold }) => [chatId(hold), problems.get(hold.id) ?? progressOf(hold)]),
  );
  return { kind: 'pending', requests: chatRequests(holds), notes };
}

/** Decides a hold, and returns the reason if the desk rejects the decision. */
async function tryDecide(
  desk: Desk<string>,
  { id, digest }: HoldRow,
  decision: Decision,
  { by, roles }: DeskChatAccess,
): Promise<string | undefined> {
  try {
    await desk.decide(id, decision, { by, digest, ...(roles && { roles }) });
    return undefined;
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    if (isInternalCode(error.code)) contextOf(desk).onError(error, { tenant: desk.tenant });
    return publicMessageOf(error);
  }
}

function progressOf({ state, votes = [], approvers }: HoldRow): string {
  if (state !== 'open') return 'Decided. Other calls of this response are pending.';
  return `${votes.length} of ${approvers?.count ?? 1} approvals`;
}

/** Returns the holds of a parked run that its history does not contain yet. */
async function shownHolds(
  desk: Desk<string>,
  runId: string,
  { by, roles }: DeskChatAccess,
): Promise<ShownHold[]> {
  const { items } = await desk.holds({ runId, states: ['open', ...SETTLED_STATES], limit: 100 });
  const shown: ShownHold[] = [];
  for (const hold of items.toSorted((one, other) => one.callIndex - other.callIndex)) {
    const rights = await desk.rightsOf(hold, { by, ...(roles && { roles }) });
    const mayDecide = rights.whyNotDecide === undefined && isShownWhole(hold);
    shown.push({ hold, mayDecide: hold.state !== 'open' || mayDecide });
  }
  return shown;
}

/** Returns a run with all of its events. It waits for the first response, which has the id of the message. */
async function newTurn(
  desk: Desk<string>,
  runId: string,
  access: DeskChatAccess,
): Promise<NewTurn> {
  const events = chatEvents(desk, runId, access)[Symbol.asyncIterator]();
  const early: ChatEvent[] = [];
  for (let next = await events.next(); !next.done; next = await events.next()) {
    early.push(next.value);
    if (next.value.kind === 'response-start') break;
  }
  const first = early.find((event) => event.kind === 'response-start');
  return { kind: 'turn', messageId: first?.runId ?? runId, events: withEarly(early, events) };
}

async function* withEarly(
  early: readonly ChatEvent[],
  rest: AsyncIterator<ChatEvent, void>,
): AsyncGenerator<ChatEvent, void> {
  yield* early;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Yields the events of a run until it parks or ends, with its result as the last one. */
async function* chatEvents(
  desk: Desk<string>,
  runId: string,
  access: DeskChatAccess,
  after?: string,
): AsyncGenerator<ChatEvent, void> {
  let run: RunRow | undefined;
  async function* observed(): AsyncGenerator<RunStreamEvent, void> {
    for await (const event of desk.stream(runId, { after })) {
      if (event.kind === 'state') run = event.run;
      yield event;
    }
  }
  yield* stepEventsOf(observed());
  if (run?.state === 'parked') {
    const output = chatRequests(await shownHolds(desk, runId, access));
    yield { kind: 'run-result', result: { status: 'parked', output } };
  } else if (run?.state === 'finished') {
    const messages = await desk.history(run.conversationId);
    yield { kind: 'run-result', result: { status: 'finished', messages, newMessages: [] } };
  } else {
    throw new DeskError(
      'run-ended',
      `Run \`${runId}\` did not finish. Check its state at the desk.`,
    );
  }
}

async function lastCursor(stream: AsyncIterable<RunStreamEvent>): Promise<string | undefined> {
  let cursor: string | undefined;
  for await (const event of stream) if ('cursor' in event) cursor = event.cursor;
  return cursor;
}
