import { sql } from 'kysely';
import type { ConversationRow } from '../../model/conversation-row.ts';
import type { DeskStats } from '../../telemetry/desk-telemetry.ts';
import type { IdKey, Tx } from '../store.ts';
import { ChangeRecorder } from '../store-change.ts';
import { CONVERSATIONS, type MetaName } from './database.ts';
import { SqlComments } from './comments.ts';
import { SqlDelegations } from './delegations.ts';
import { SqlEntries } from './entries.ts';
import { SqlDeliveries, SqlOutbox } from './events.ts';
import { SqlGrants } from './grants.ts';
import { SqlDecisions, SqlHolds } from './holds.ts';
import { SqlRetention } from './retention.ts';
import { SqlAudit, SqlInputs, SqlMessages, SqlRuns } from './runs.ts';
import { type SqlContext, SqlTable } from './sql-table.ts';
import { Statements } from './statements.ts';
import { readStats } from './stats.ts';
import { SqlTasks } from './tasks.ts';
import { SqlSecrets, SqlTokens } from './tokens.ts';

/** A transaction. Its statements are the same for every database. */
export class SqlTx implements Tx {
  readonly runs: SqlRuns;
  readonly inputs: SqlInputs;
  readonly conversations: SqlTable<ConversationRow, IdKey>;
  readonly messages: SqlMessages;
  readonly holds: SqlHolds;
  readonly decisions: SqlDecisions;
  readonly grants: SqlGrants;
  readonly tasks: SqlTasks;
  readonly outbox: SqlOutbox;
  readonly audit: SqlAudit;
  readonly entries: SqlEntries;
  readonly tokens: SqlTokens;
  readonly deliveries: SqlDeliveries;
  readonly delegations: SqlDelegations;
  readonly comments: SqlComments;
  readonly secrets: SqlSecrets;
  readonly retention: SqlRetention;
  /** The changes that other processes wait for. */
  readonly changes: ChangeRecorder = new ChangeRecorder();
  #lastNow: number | undefined;
  readonly #context: SqlContext;

  constructor(context: SqlContext) {
    this.#context = context;
    this.runs = new SqlRuns(context);
    this.inputs = new SqlInputs(context);
    this.conversations = new SqlTable<ConversationRow, IdKey>(context, CONVERSATIONS);
    this.messages = new SqlMessages(context);
    this.holds = new SqlHolds(context);
    this.decisions = new SqlDecisions(context);
    this.grants = new SqlGrants(context);
    this.tasks = new SqlTasks(context, this.changes, () => this.#lastNow);
    this.outbox = new SqlOutbox(context, this.changes);
    this.audit = new SqlAudit(context);
    this.entries = new SqlEntries(context);
    this.tokens = new SqlTokens(context);
    this.deliveries = new SqlDeliveries(context);
    this.comments = new SqlComments(context);
    this.delegations = new SqlDelegations(context);
    this.secrets = new SqlSecrets(context);
    this.retention = new SqlRetention(context, () => this.now());
  }

  async now(): Promise<number> {
    this.#lastNow = await readClock(this.#context);
    return this.#lastNow;
  }

  async stats(): Promise<DeskStats> {
    return readStats(this.#context.db, await this.now());
  }

  ledgerKnowsSince(): Promise<number> {
    return this.#meta('ledger_knows_since');
  }

  restoredFromBackupAt(): Promise<number> {
    return this.#meta('restored_from_backup_at');
  }

  async recordEventConsumer(): Promise<void> {
    await this.#context.db
      .updateTable('desk_meta')
      .set({ value: await this.now() })
      .where('name', '=', 'event_consumer_seen_at')
      .execute();
  }

  /** Implements `Store.markRestoredFromBackup`. */
  async markRestoredFromBackup(time: number): Promise<void> {
    await this.#context.db
      .updateTable('desk_meta')
      .set({ value: time })
      .where('name', 'in', ['ledger_knows_since', 'restored_from_backup_at'])
      .where('value', '<', time)
      .execute();
  }

  async #meta(name: MetaName): Promise<number> {
    const { dialect, execute } = this.#context;
    const statement = Statements.of(dialect, 'desk_meta').compile(
      'value',
      () => 'select value from desk_meta where name = ?',
    );
    const { rows } = await execute({ ...statement, parameters: [name] });
    return Number(Reflect.get(rows[0] ?? {}, 'value'));
  }
}

/** Reads the clock of a store. */
async function readClock({ db, dialect: { now } }: SqlContext): Promise<number> {
  if (typeof now === 'function') return now();
  const { rows } = await sql<{ now: number }>`select ${now} as now`.execute(db);
  return Number(rows[0]?.now);
}
