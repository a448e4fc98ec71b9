import type { Message } from 'holdpoint';
import type { Person } from '../model/person.ts';
import { type HoldState, HOLD_TRANSITIONS } from '../model/states.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Store } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import { type AskedHold, askedBefore } from '../transitions/requested-changes.ts';
import { HistoryWriter } from './history-writer.ts';

/** Changes that an approver requested in place of an approval, and the reply of the model. */
export interface RequestedChanges {
  /** The hold that the approver decided. */
  readonly holdId: string;
  /** The text that the model received. */
  readonly message: string;
  readonly by: Person;
  /** The person on whose behalf the approver decided. */
  readonly onBehalfOf?: Person | undefined;
  readonly at: number;
  /** The response of the model; missing until there is one, and for a call of a sub-agent. */
  readonly reply?: ModelReply | undefined;
}

/** The response of a model to requested changes. */
export interface ModelReply {
  /** Its text output; missing if it has none. */
  readonly text?: string | undefined;
  /** The holds of its calls. */
  readonly holdIds: readonly string[];
}

/** Reads the changes that were requested about a hold, and about earlier calls of its tool in its run. */
export function readRequestedChanges(
  store: Store,
  tenant: string,
  holdId: string,
): Promise<readonly RequestedChanges[]> {
  return store.read(async (tx) => {
    const hold = await tx.holds.get(tenant, holdId);
    if (hold === undefined) throw notFound('hold', holdId);
    const asked = await askedBefore(tx, hold);
    if (asked.length === 0) return [];
    const rows = await tx.messages.from(tenant, hold.conversationId, 0);
    const messages = new HistoryWriter(rows).loaded;
    const holds = await tx.holds.ofRun(tenant, hold.runId, ALL_STATES);
    return asked.map((one) => Object.freeze(requestedChanges(one, messages, holds)));
  });
}

// The keys of the table are the states.
const ALL_STATES = Object.keys(HOLD_TRANSITIONS) as HoldState[];

function requestedChanges(
  { hold, decision, row }: AskedHold,
  messages: readonly Message[],
  holds: readonly HoldRow[],
): RequestedChanges {
  const { by, onBehalfOf, at } = row;
  const reply = replyTo(hold, messages, holds);
  return {
    holdId: hold.id,
    message: decision.message,
    by,
    ...(onBehalfOf && { onBehalfOf: personOf(onBehalfOf) }),
    at,
    ...(reply && { reply }),
  };
}

function personOf({ id, name }: Person): Person {
  return { id, ...(name !== undefined && { name }) };
}

/** Returns the response after the request that has the retry prompt of a call. */
function replyTo(
  asked: HoldRow,
  messages: readonly Message[],
  holds: readonly HoldRow[],
): ModelReply | undefined {
  // The history of a sub-agent is not a part of the conversation.
  if (asked.path.length > 0) return undefined;
  const request = messages.findLastIndex(({ parts }) =>
    parts.some((part) => part.kind === 'retry-prompt' && part.toolCallId === asked.key),
  );
  if (request === -1) return undefined;
  const response = messages.slice(request).find(({ kind }) => kind === 'response');
  if (response === undefined) return undefined;
  const { parts } = response;
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.content] : [])).join('');
  const ids = parts.flatMap((part) => (part.kind === 'tool-call' ? [part.toolCallId] : []));
  const holdIds = holds
    .filter(({ park, path, key }) => park > asked.park && ids.includes(path[0]?.toolCallId ?? key))
    .map(({ id }) => id);
  return { ...(text !== '' && { text }), holdIds };
}
