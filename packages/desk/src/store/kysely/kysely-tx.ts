import { sql } from 'kysely';
import type { ConversationRow } from '../../model/conversation-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import type { EntryKey, IdKey, Table, Tx } from '../store.ts';
import { DELIVERIES, TOKENS } from '../tables/people-specs.ts';
import {
  ANSWERS,
  CONVERSATIONS,
  ENTRIES,
  GRANTS,
  HOLDS,
  MESSAGES,
  OUTBOX,
  RUNS,
  SECRETS,
} from '../tables/specs.ts';
import { KyselyAnswers } from './kysely-answers.ts';
import { KyselyAudit } from './kysely-audit.ts';
import { KyselyDeliveries } from './kysely-deliveries.ts';
import { KyselyGrants } from './kysely-grants.ts';
import { KyselyHolds } from './kysely-holds.ts';
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
  /** Whether a task may have become due. */
  touchedTasks = false;
  readonly #db: Database;
  readonly #flavour: Flavour;

  constructor(db: Database, flavour: Flavour) {
    this.#db = db;
    this.#flavour = flavour;
    this.runs = new KyselyRuns(db, RUNS, flavour);
    this.conversations = new KyselyTable<ConversationRow, IdKey>(db, CONVERSATIONS, flavour);
    this.messages = new KyselyMessages(db, MESSAGES, flavour);
    this.holds = new KyselyHolds(db, HOLDS, flavour);
    this.answers = new KyselyAnswers(db, ANSWERS, flavour);
    this.grants = new KyselyGrants(db, GRANTS, flavour);
    this.tasks = new KyselyTasks(db, flavour, () => {
      this.touchedTasks = true;
    });
    this.outbox = new KyselyOutbox(db, OUTBOX, flavour);
    this.audit = new KyselyAudit(db, flavour);
    this.entries = new KyselyTable<EntryRow, EntryKey>(db, ENTRIES, flavour);
    this.tokens = new KyselyTokens(db, TOKENS, flavour);
    this.deliveries = new KyselyDeliveries(db, DELIVERIES, flavour);
    this.secrets = new KyselySecrets(db, SECRETS, flavour);
  }

  async now(): Promise<number> {
    const { now } = this.#flavour;
    if (typeof now === 'function') return now();
    const { rows } = await sql<{ now: number }>`select ${now} as now`.execute(this.#db);
    return Number(rows[0]?.now);
  }

  async ledgerKnowsSince(): Promise<number> {
    const { rows } = await sql<{ value: string }>`select value from desk_meta
      where name = 'ledger_knows_since'`.execute(this.#db);
    return Number(rows[0]?.value);
  }

  /** See `Store.forgetBefore`. */
  async forgetBefore(time: number): Promise<void> {
    await sql`update desk_meta set value = ${String(time)}
      where name = 'ledger_knows_since' and cast(value as bigint) < ${time}`.execute(this.#db);
  }
}
