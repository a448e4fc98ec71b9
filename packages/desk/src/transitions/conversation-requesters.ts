import { isSamePerson } from '../approvers/same-person.ts';
import type { ConversationRow } from '../model/conversation-row.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Tx } from '../store/store.ts';

/**
 * Adds a requester to a conversation, and returns all of them. Instructions stay in the history, so everyone
 * who contributed to it is a requester of each later call. `null` is an unknown requester.
 */
export async function addRequester(
  tx: Tx,
  tenant: string,
  conversationId: string,
  requester: Person | null,
): Promise<readonly (Person | null)[]> {
  const row = await lockedConversation(tx, tenant, conversationId);
  if (isAmong(row.requesters, requester)) return row.requesters;
  const requesters = [...row.requesters, requester];
  await tx.conversations.put({ ...row, requesters });
  return requesters;
}

/** Returns the requesters of a conversation without the one for whom a run is started. */
export function otherRequesters(
  requesters: readonly (Person | null)[],
  requester: Person | null,
): Pick<RunRow, 'otherRequesters'> {
  const others = requesters.filter((one) => !isSame(one, requester));
  return others.length === 0 ? {} : { otherRequesters: others };
}

async function lockedConversation(tx: Tx, tenant: string, id: string): Promise<ConversationRow> {
  const known = await tx.conversations.lock(tenant, id);
  if (known !== undefined) return known;
  const requesters = await requestersOfRuns(tx, tenant, id);
  await tx.conversations.insert({ tenant, id, requesters });
  // Another process may have inserted it first.
  return (await tx.conversations.lock(tenant, id)) ?? { tenant, id, requesters };
}

/** Returns the requesters of the runs of a conversation that was stored before its requesters were. */
async function requestersOfRuns(
  tx: Tx,
  tenant: string,
  conversationId: string,
): Promise<readonly (Person | null)[]> {
  const requesters: (Person | null)[] = [];
  let after: string | undefined;
  do {
    const from: string | undefined = after;
    const page = await tx.runs.list(tenant, { conversationId, limit: 500, after: from });
    for (const { requester = null, otherRequesters: others = [], historyErasedAt } of page.items) {
      // The history no longer contains anything that they wrote.
      if (historyErasedAt !== undefined) continue;
      for (const one of [requester, ...others]) {
        if (!isAmong(requesters, one)) requesters.push(one);
      }
    }
    after = page.next;
  } while (after !== undefined);
  return requesters;
}

function isAmong(requesters: readonly (Person | null)[], requester: Person | null): boolean {
  return requesters.some((one) => isSame(one, requester));
}

function isSame(one: Person | null, other: Person | null): boolean {
  return one === null || other === null ? one === other : isSamePerson(one, other);
}
