import type { Message } from 'holdpoint';
import type { Person } from '../model/person.ts';
import { type HoldState, HOLD_TRANSITIONS } from '../model/states.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Store } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import {
  type HoldWithRequestedChanges,
  changesRequestedBefore,
} from '../transitions/requested-changes.ts';
import { HistoryWriter } from './history-writer.ts';

/** Changes that an approver requested in place of an approval, and the response of the model. */
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
  readonly response?: ChangesResponse | undefined;
}

/** The response of a model to requested changes. */
export interface ChangesResponse {
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
    const requested = await changesRequestedBefore(tx, hold);
    if (requested.length === 0) return [];
    const rows = await tx.messages.from(tenant, hold.conversationId, 0);
    const messages = new HistoryWriter(rows).loaded;
    const holds = await tx.holds.ofRun(tenant, hold.runId, ALL_STATES);
    return requested.map((one) => Object.freeze(requestedChanges(one, messages, holds)));
  });
}

// The keys of the table are the states.
const ALL_STATES = Object.keys(HOLD_TRANSITIONS) as HoldState[];

function requestedChanges(
  { hold, decision, row }: HoldWithRequestedChanges,
  messages: readonly Message[],
  holds: readonly HoldRow[],
): RequestedChanges {
  const { by, onBehalfOf, at } = row;
  const response = responseTo({ hold, decision }, messages, holds);
  return {
    holdId: hold.id,
    message: decision.message,
    by,
    ...(onBehalfOf && { onBehalfOf: personOf(onBehalfOf) }),
    at,
    ...(response && { response }),
  };
}

function personOf({ id, name }: Person): Person {
  return { id, ...(name !== undefined && { name }) };
}

/** Returns the response after the request that has the retry prompt of a call. */
function responseTo(
  { hold, decision }: Pick<HoldWithRequestedChanges, 'hold' | 'decision'>,
  messages: readonly Message[],
  holds: readonly HoldRow[],
): ChangesResponse | undefined {
  // The history of a sub-agent is not a part of the conversation.
  if (hold.path.length > 0) return undefined;
  const request = messages.findLastIndex(({ parts }) =>
    parts.some(
      (part) =>
        part.kind === 'retry-prompt' &&
        part.toolCallId === hold.key &&
        part.content === decision.message,
    ),
  );
  if (request === -1) return undefined;
  const response = messages.slice(request).find(({ kind }) => kind === 'response');
  if (response === undefined) return undefined;
  const { parts } = response;
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.content] : [])).join('');
  const ids = parts.flatMap((part) => (part.kind === 'tool-call' ? [part.toolCallId] : []));
  const holdIds = holds
    .filter(({ park, path, key }) => park > hold.park && ids.includes(path[0]?.toolCallId ?? key))
    .map(({ id }) => id);
  return { ...(text !== '' && { text }), holdIds };
}
