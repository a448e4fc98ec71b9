import { personKey } from '../approvers/same-person.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { JsonObject } from 'holdpoint';
import { newId } from '../model/new-id.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import { HOLD_TRANSITIONS, type HoldState, isOver } from '../model/states.ts';
import type { ReadTx, Store, Tx } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import { revokeGrant } from '../transitions/revoke-grant.ts';
import {
  type ConversationScope,
  eraseContent,
  eraseHistory,
  eraseHolds,
  lockConversation,
  lockRunsOf,
  recordErasure,
} from './erase-parts.ts';

/** Options of an erasure. */
export interface ErasureOptions {
  /** The person who erases. */
  readonly by: Person;
  /** The reason, which the audit stores. It must not contain personal data. */
  readonly reason: string;
}

/** The result of the erasure of a conversation. */
export interface ErasureReport {
  /** The number of runs that have only their audit. */
  readonly runs: number;
}

/** The result of the erasure of a person's data. */
export interface PersonErasureReport extends ErasureReport {
  /** The number of conversations of the person that were erased. */
  readonly conversations: number;
  /** The number of audit entries that named the person. */
  readonly auditEntries: number;
  /** The number of sessions and links that were deleted. */
  readonly tokens: number;
  /** The live runs that still name the person. Repeat the erasure after they have ended. */
  readonly pendingRuns: readonly string[];
}

/** Deletes everything of a conversation but its audit. It must have no live run. */
export async function eraseConversation(
  store: Store,
  scope: ConversationScope,
  options: ErasureOptions,
): Promise<ErasureReport> {
  const { tenant } = scope;
  const grants = await store.read((tx) => tx.retention.grantsIn(scope));
  await requireErasable(store, scope);
  for (const id of grants) await revokeGrant(store, tenant, id, options.by);
  const runs = await store.write(async (tx) => {
    await lockConversation(tx, scope);
    await rejectIfPending(tx, scope);
    await eraseHistory(tx, scope, options);
    for (const run of await lockRunsOf(tx, scope)) {
      if (run.holdsErasedAt === undefined) await eraseHolds(tx, run, options);
    }
    return eraseContent(tx, scope, options);
  });
  return Object.freeze({ runs });
}

async function requireErasable(store: Store, scope: ConversationScope): Promise<void> {
  await store.read(async (tx) => {
    const { tenant, conversationId } = scope;
    const latest = await tx.runs.latestIn(tenant, conversationId);
    if (latest === undefined) throw notFound('conversation', conversationId);
    await rejectIfPending(tx, scope);
  });
}

async function rejectIfPending(tx: ReadTx, scope: ConversationScope): Promise<void> {
  const pending = await tx.retention.pendingIn(scope, Number.MAX_SAFE_INTEGER);
  if (!pending.hasLiveRun && !pending.hasPendingHold && !pending.hasExecutingCall) return;
  throw new DeskError(
    'conversation-busy',
    `Conversation \`${scope.conversationId}\` has a live run or an executing call, so nothing was erased. Wait ` +
      'until the run has ended, or cancel it.',
  );
}

const PAGE = 100;

/**
 * Erases a person: their conversations, their sessions and links, and their name in decisions, grants and audit
 * entries of other conversations. The audit chains stay valid.
 */
export async function erasePerson(
  store: Store,
  tenant: string,
  person: Pick<Person, 'id'>,
  options: ErasureOptions,
): Promise<PersonErasureReport> {
  const erasure = new PersonErasure(store, tenant, person, options);
  const key = personKey(person);
  let after: string | undefined;
  do {
    const page = { after, limit: PAGE };
    const ids = await store.read((tx) => tx.retention.runsOfPerson(tenant, key, page));
    for (const id of ids) await erasure.eraseRun(id);
    after = ids.length < PAGE ? undefined : ids.at(-1);
  } while (after !== undefined);
  const tokens = await store.write(async (tx) => {
    await tx.delegations.removeOf(tenant, key);
    return tx.retention.removeTokensOf(tenant, key);
  });
  const { conversations, runs, auditEntries, pendingRuns } = erasure;
  return Object.freeze({
    conversations: conversations.size,
    runs,
    auditEntries,
    tokens,
    pendingRuns: Object.freeze([...pendingRuns]),
  });
}

class PersonErasure {
  readonly conversations: Set<string> = new Set();
  readonly pendingRuns: string[] = [];
  runs = 0;
  auditEntries = 0;
  readonly #store: Store;
  readonly #tenant: string;
  readonly #key: string;
  readonly #options: ErasureOptions;
  /** Random, so that it reveals nothing; the same in all rows of this erasure. */
  readonly #pseudonym = `erased-${newId().slice(0, 16)}`;

  constructor(store: Store, tenant: string, person: Pick<Person, 'id'>, options: ErasureOptions) {
    this.#store = store;
    this.#tenant = tenant;
    this.#key = personKey(person);
    this.#options = options;
  }

  async eraseRun(runId: string): Promise<void> {
    const tenant = this.#tenant;
    const { run, requesters, grants, isLive } = await this.#store.read(async (tx) => {
      const found = await tx.runs.get(tenant, runId);
      const id = found?.conversationId ?? '';
      return {
        run: found,
        requesters: (await tx.conversations.get(tenant, id))?.requesters ?? [],
        grants: await tx.retention.grantsIn({ tenant, runId }),
        isLive: (await tx.runs.liveIn(tenant, id)) !== undefined,
      };
    });
    if (run === undefined) return;
    if (isLive) {
      this.pendingRuns.push(runId);
      return;
    }
    const { conversationId } = run;
    try {
      if (this.#isRequester(run, requesters)) await this.#eraseConversation(conversationId);
      else await this.#revokeGrants(grants);
      const replaced = await this.#store.write((tx) => this.#replaceIn(tx, runId));
      if (replaced === 'live') this.pendingRuns.push(runId);
      else this.auditEntries += replaced;
    } catch (error) {
      // A run of the conversation started since the read.
      if (!(error instanceof DeskError) || error.code !== 'conversation-busy') throw error;
      this.pendingRuns.push(runId);
    }
  }

  async #eraseConversation(conversationId: string): Promise<void> {
    const scope = { tenant: this.#tenant, conversationId };
    if (this.conversations.has(conversationId)) return;
    this.runs += (await eraseConversation(this.#store, scope, this.#options)).runs;
    this.conversations.add(conversationId);
  }

  /** Revokes the grants that the person gave: without the person they would not match their audit entry. */
  async #revokeGrants(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const grant = await this.#store.read((tx) => tx.grants.get(this.#tenant, id));
      const people = [...(grant?.by ?? []), ...(grant?.requester ? [grant.requester] : [])];
      if (!people.some((one) => this.#isKey(one.id))) continue;
      await revokeGrant(this.#store, this.#tenant, id, this.#options.by);
    }
  }

  #isRequester(run: RunRow, requesters: readonly (Person | null)[]): boolean {
    const { requester = null, otherRequesters = [] } = run;
    return [requester, ...otherRequesters, ...requesters].some(
      (one) => one !== null && personKey(one) === this.#key,
    );
  }

  /** Replaces the person in the rows and the audit of one run, and records it. Returns the number of entries. */
  async #replaceIn(tx: Tx, runId: string): Promise<number | 'live'> {
    const tenant = this.#tenant;
    const run = await tx.runs.lock(tenant, runId);
    if (run === undefined) return 0;
    if (!isOver(run.state)) return 'live';
    for (const hold of await tx.holds.ofRun(tenant, runId, ALL_HOLD_STATES)) {
      for (const decision of await tx.decisions.ofHold(tenant, hold.id)) {
        await tx.decisions.put(this.#replaced(decision));
      }
      for (const comment of await tx.comments.ofHold(tenant, hold.id)) {
        await tx.comments.put(this.#replaced(comment));
      }
      await tx.holds.put(this.#replaced(hold));
    }
    for (const id of await tx.retention.grantsIn({ tenant, runId })) {
      const grant = await tx.grants.lock(tenant, id);
      if (grant !== undefined) await tx.grants.put(this.#replaced(grant));
    }
    const entries = await tx.retention.removePersonFromAudit(tenant, runId, this.#key);
    await recordErasure(tx, run, 'person', this.#options);
    return entries;
  }

  /** Returns a copy in which the pseudonym stands in place of the person, wherever a person can be named. */
  #replaced<Row extends object>(row: Row): Row {
    const members = Object.entries(row).map(([name, value]) => [
      name,
      PERSON_MEMBERS.has(name) ? this.#replacedValue(value) : value,
    ]);
    // Only ids and names of people were replaced.
    return Object.fromEntries(members) as Row;
  }

  #replacedValue(value: unknown): unknown {
    if (typeof value === 'string') return this.#isKey(value) ? this.#pseudonym : value;
    if (Array.isArray(value)) return value.map((one) => this.#replacedValue(one));
    if (typeof value !== 'object' || value === null) return value;
    const { id } = value as JsonObject; // an object of a stored row
    if (typeof id === 'string' && this.#isKey(id)) {
      const { name: _, ...rest } = value as JsonObject; // the same object
      return { ...rest, id: this.#pseudonym };
    }
    return this.#replaced(value);
  }

  #isKey(id: string): boolean {
    return personKey({ id }) === this.#key;
  }
}

// The keys of the table are the states.
const ALL_HOLD_STATES = Object.keys(HOLD_TRANSITIONS) as HoldState[];

/** The members of holds, decisions and grants that name people, or contain such members. */
const PERSON_MEMBERS: ReadonlySet<string> = new Set([
  'by',
  'author',
  'requester',
  'requesterKey',
  'otherRequesters',
  'revokedBy',
  'votes',
  'proposal',
  'approvers',
  'requirements',
  'people',
  'escalate',
  'also',
  'onBehalfOf',
  'authoredFor',
]);
