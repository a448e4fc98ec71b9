import { sql } from 'kysely';
import type { ConversationRow } from '../../model/conversation-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import type { EntryKey, IdKey, Table, Tx } from '../store.ts';
import { ChangeRecorder } from '../store-change.ts';
import { DELIVERIES, TOKENS } from '../tables/people-specs.ts';
import {
  ANSWERS,
  CONVERSATIONS,
  ENTRIES,
  GRANTS,
  HOLDS,
  INPUTS,
  MESSAGES,
  RUNS,
  SECRETS,
} from '../tables/specs.ts';
import { KyselyAnswers } from './kysely-answers.ts';
import { KyselyAudit } from './kysely-audit.ts';
import { KyselyDeliveries } from './kysely-deliveries.ts';
import { KyselyGrants } from './kysely-grants.ts';
import { KyselyHolds } from './kysely-holds.ts';
import { KyselyInputs } from './kysely-inputs.ts';
import { KyselyMessages } from './kysely-messages.ts';
import { KyselyOutbox } from './kysely-outbox.ts';
import { KyselyRuns } from './kysely-runs.ts';
import { KyselySecrets } from './kysely-secrets.ts';
import { type Database, type Flavour, KyselyTable } from './kysely-table.ts';
import { KyselyTasks } from './kysely-tasks.ts';
import { KyselyTokens } from './kysely-tokens.ts';

/** A transaction in a database: the statements are the same for all of them. */
export class KyselyTx implements Tx {
  readonly runs: KyselyRuns;
  readonly inputs: KyselyInputs;
  readonly conversations: Table<ConversationRow, IdKey>;
  readonly messages: KyselyMessages;
  readonly holds: KyselyHolds;
  readonly answers: KyselyAnswers;
  readonly grants: KyselyGrants;
  readonly tasks: KyselyTasks;
  readonly outbox: KyselyOutbox;
  readonly audit: KyselyAudit;
  readonly entries: Table<EntryRow, EntryKey>;
  readonly tokens: KyselyTokens;
  readonly deliveries: KyselyDeliveries;
  readonly secrets: KyselySecrets;
  /** What the transaction changes. */
  readonly changes: ChangeRecorder = new ChangeRecorder();
  #lastNow: number | undefined;
  readonly #db: Database;
  readonly #flavour: Flavour;

  constructor(db: Database, flavour: Flavour) {
    this.#db = db;
    this.#flavour = flavour;
    this.runs = new KyselyRuns(db, RUNS, flavour);
    this.inputs = new KyselyInputs(db, INPUTS, flavour);
    this.conversations = new KyselyTable<ConversationRow, IdKey>(db, CONVERSATIONS, flavour);
    this.messages = new KyselyMessages(db, MESSAGES, flavour);
    this.holds = new KyselyHolds(db, HOLDS, flavour);
    this.answers = new KyselyAnswers(db, ANSWERS, flavour);
    this.grants = new KyselyGrants(db, GRANTS, flavour);
    this.tasks = new KyselyTasks(db, flavour, this.changes, () => this.#lastNow);
    this.outbox = new KyselyOutbox(db, flavour, this.changes);
    this.audit = new KyselyAudit(db, flavour);
    this.entries = new KyselyTable<EntryRow, EntryKey>(db, ENTRIES, flavour);
    this.tokens = new KyselyTokens(db, TOKENS, flavour);
    this.deliveries = new KyselyDeliveries(db, DELIVERIES, flavour);
    this.secrets = new KyselySecrets(db, SECRETS, flavour);
  }

  async now(): Promise<number> {
    this.#lastNow = await this.#readClock();
    return this.#lastNow;
  }

  async #readClock(): Promise<number> {
    const { now } = this.#flavour;
    if (typeof now === 'function') return now();
    const { rows } = await sql<{ now: number }>`select ${now} as now`.execute(this.#db);
    return Number(rows[0]?.now);
  }

  ledgerKnowsSince(): Promise<number> {
    return this.#meta('ledger_knows_since');
  }

  forgottenBefore(): Promise<number> {
    return this.#meta('forgotten_before');
  }

  eventConsumerSeenAt(): Promise<number> {
    return this.#meta('event_consumer_seen_at');
  }

  async noteEventConsumer(): Promise<void> {
    const value = String(await this.now());
    await sql`update desk_meta set value = ${value} where name = 'event_consumer_seen_at'`.execute(
      this.#db,
    );
  }

  async #meta(name: string): Promise<number> {
    const { rows } = await sql<{
      value: string;
    }>`select value from desk_meta where name = ${name}`.execute(this.#db);
    return Number(rows[0]?.value);
  }

  /** See `Store.forgetBefore`. */
  async forgetBefore(time: number): Promise<void> {
    await sql`update desk_meta set value = ${String(time)}
      where name in ('ledger_knows_since', 'forgotten_before') and cast(value as bigint) < ${time}`.execute(
      this.#db,
    );
  }
}
