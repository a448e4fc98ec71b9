import type { JsonObject } from 'holdpoint';
import { personKey } from '../approvers/same-person.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import { HOLD_TRANSITIONS, type HoldState } from '../model/states.ts';
import type { ReadTx, Store } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import type { ConversationScope } from './erase-parts.ts';

/** A stored row of an export. Its members are those of the row. */
export type ExportedRecord = JsonObject & {
  readonly record: 'run' | 'message' | 'hold' | 'decision' | 'comment' | 'audit';
};

const PAGE = 500;

/** Yields all stored data of a conversation. Each page has its own transaction. */
export async function* exportConversation(
  store: Store,
  scope: ConversationScope,
): AsyncGenerator<ExportedRecord> {
  const { tenant, conversationId } = scope;
  let after: string | undefined;
  do {
    const query = { conversationId, includeErased: true, limit: PAGE, after };
    const page = await store.read((tx) => tx.runs.list(tenant, query));
    if (after === undefined && page.items.length === 0) {
      throw notFound('conversation', conversationId);
    }
    for (const run of page.items) {
      yield recordOf('run', run);
      yield* await store.read((tx) => decisionsOf(tx, tenant, run.id, () => true));
      yield* auditOf(store, tenant, run.id, () => true);
    }
    after = page.next;
  } while (after !== undefined);
  const messages = await store.read((tx) => tx.messages.from(tenant, conversationId, 0));
  for (const message of messages) yield recordOf('message', message);
}

/**
 * Yields everything that is stored about a person: the conversations of which they are a requester, and their
 * decisions and audit entries in others.
 */
export async function* exportPerson(
  store: Store,
  tenant: string,
  person: Pick<Person, 'id'>,
): AsyncGenerator<ExportedRecord> {
  const key = personKey(person);
  const isTheirs = ({ by }: { readonly by?: Person | undefined }) =>
    by !== undefined && personKey(by) === key;
  const exported = new Set<string>();
  let after: string | undefined;
  do {
    const page = { after, limit: PAGE };
    const ids = await store.read((tx) => tx.retention.runsOfPerson(tenant, key, page));
    for (const runId of ids) {
      const run = await store.read((tx) => tx.runs.get(tenant, runId));
      if (run === undefined || exported.has(run.conversationId)) continue;
      const { conversationId, requester, otherRequesters = [] } = run;
      const requesters = [requester ?? null, ...otherRequesters];
      if (requesters.some((one) => one !== null && personKey(one) === key)) {
        exported.add(conversationId);
        yield* exportConversation(store, { tenant, conversationId });
      } else {
        yield* await store.read((tx) => decisionsOf(tx, tenant, runId, isTheirs));
        yield* auditOf(store, tenant, runId, isTheirs);
      }
    }
    after = ids.length < PAGE ? undefined : ids.at(-1);
  } while (after !== undefined);
}

async function decisionsOf(
  tx: ReadTx,
  tenant: string,
  runId: string,
  isWanted: (row: { readonly by?: Person | undefined }) => boolean,
): Promise<readonly ExportedRecord[]> {
  const records: ExportedRecord[] = [];
  // The keys of the table are the states.
  const states = Object.keys(HOLD_TRANSITIONS) as HoldState[];
  for (const hold of await tx.holds.ofRun(tenant, runId, states)) {
    const decisions = (await tx.decisions.ofHold(tenant, hold.id)).filter(isWanted);
    const comments = (await tx.comments.ofHold(tenant, hold.id)).filter(isWanted);
    const isShown = decisions.length > 0 || comments.length > 0 || isWanted({});
    if (isShown) records.push(recordOf('hold', hold));
    for (const decision of decisions) records.push(recordOf('decision', decision));
    for (const comment of comments) records.push(recordOf('comment', comment));
  }
  return records;
}

async function* auditOf(
  store: Store,
  tenant: string,
  runId: string,
  isWanted: (row: { readonly by?: Person | undefined }) => boolean,
): AsyncGenerator<ExportedRecord> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const rows = await store.read((tx) => tx.audit.ofRun(tenant, runId, from, PAGE));
    for (const row of rows) if (isWanted(row)) yield recordOf('audit', row);
    after = rows.length < PAGE ? undefined : rows.at(-1)?.number;
  }
}

function recordOf(record: ExportedRecord['record'], row: object): ExportedRecord {
  // Rows are JSON objects.
  return { record, ...(toJson(row) as JsonObject) };
}
