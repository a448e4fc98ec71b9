import { editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { hashOf } from '../model/hash.ts';
import { frozenJson } from '../model/json.ts';
import { HOLD_TRANSITIONS, type HoldState } from '../model/states.ts';
import { callsIn } from '../redaction/calls-in.ts';
import type { CallArgs, Redaction } from '../redaction/redaction.ts';
import { searchTextOf } from '../redaction/search-text.ts';
import { Secrets } from '../redaction/secrets.ts';
import type { ConversationKey, ReadTx, Store, Tx } from '../store/store.ts';

/** Records the redacted values of calls, so that they are removed from everything that people see of the conversation. */
export async function recordSecrets(
  store: Store,
  conversation: ConversationKey,
  redaction: Redaction,
  calls: readonly CallArgs[],
): Promise<void> {
  const values = redaction.valuesOf(calls);
  if (values.size === 0) return;
  await store.write(async (tx) => {
    if (await insertSecrets(tx, conversation, values)) {
      await lockRuns(tx, conversation);
      await writeSearchTexts(tx, conversation, redaction);
    }
  });
}

/** Adds values to the secrets of a conversation; returns true if one of them is new. */
export async function insertSecrets(
  tx: Tx,
  [tenant, conversationId]: ConversationKey,
  values: Iterable<string>,
): Promise<boolean> {
  let isNew = false;
  for (const value of values) {
    const id = hashOf('holdpoint/secret/1', value);
    if (await tx.secrets.insert({ tenant, conversationId, id, value })) isNew = true;
  }
  return isNew;
}

/** Returns the recorded secrets of a conversation. */
export async function recordedSecrets(
  tx: ReadTx,
  [tenant, conversationId]: ConversationKey,
): Promise<Secrets> {
  const rows = await tx.secrets.ofConversations(tenant, [conversationId]);
  return new Secrets(rows.map(({ value }) => value));
}

/**
 * Applies the redaction rules to a conversation that was written under other rules: records the values
 * that they redact, and writes the search texts again.
 */
export function applyRules(
  store: Store,
  conversation: ConversationKey,
  redaction: Redaction,
): Promise<void> {
  return store.write(async (tx) => {
    const runs = await lockRuns(tx, conversation);
    await insertSecrets(tx, conversation, await storedValues(tx, conversation, redaction));
    await writeSearchTexts(tx, conversation, redaction);
    for (const run of runs) {
      if (run.redactionRules === undefined) continue;
      await tx.runs.put({ ...run, redactionRules: redaction.fingerprint });
    }
  });
}

/** Returns the values that the rules redact in the stored rows of a conversation. */
export async function storedValues(
  tx: ReadTx,
  [tenant, conversationId]: ConversationKey,
  redaction: Redaction,
): Promise<ReadonlySet<string>> {
  const messages = await tx.messages.from(tenant, conversationId, 0);
  const calls = messages.flatMap(({ body }) => callsIn(frozenJson(body)));
  for await (const hold of holdsOf(tx, [tenant, conversationId])) {
    if (redaction.isAbout(hold.toolName)) calls.push(...(await callsOf(tx, hold)));
  }
  return redaction.valuesOf(calls);
}

/** A hold may be changed only by the transaction that has locked its run. */
async function lockRuns(tx: Tx, [tenant, conversationId]: ConversationKey) {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await tx.runs.list(tenant, { conversationId, after, limit: 500 });
    ids.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  const runs = [];
  for (const id of ids) {
    const run = await tx.runs.lock(tenant, id);
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

async function writeSearchTexts(
  tx: Tx,
  conversation: ConversationKey,
  redaction: Redaction,
): Promise<void> {
  const secrets = await recordedSecrets(tx, conversation);
  for await (const hold of holdsOf(tx, conversation)) {
    const searchText = searchTextOf(hold, redaction, secrets);
    const { fingerprint: redactionRules } = redaction;
    if (searchText === hold.searchText && redactionRules === hold.redactionRules) continue;
    await tx.holds.put({ ...hold, searchText, redactionRules });
  }
}

// The keys of the table are the states.
const STATES = Object.keys(HOLD_TRANSITIONS) as HoldState[];

async function* holdsOf(
  tx: ReadTx,
  [tenant, conversationId]: ConversationKey,
): AsyncGenerator<HoldRow> {
  let after: string | undefined;
  do {
    const page = await tx.holds.list(tenant, { conversationId, states: STATES, after, limit: 500 });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/** Returns the call of a hold as the model sent it, as the tool receives it, and as approvers edited it. */
async function callsOf(tx: ReadTx, hold: HoldRow): Promise<readonly CallArgs[]> {
  const { tenant, id, toolName, args, validatedArgs } = hold;
  const all = validatedArgs === undefined ? [args] : [args, validatedArgs];
  for (const { decision } of await tx.decisions.ofHold(tenant, id)) {
    const edit = editedArgs(decision);
    if (edit !== undefined) all.push(edit);
  }
  return all.map((one) => ({ toolName, args: one }));
}
