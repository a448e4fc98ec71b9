import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { JsonValue } from '../../src/internal/json.ts';
import type {
  Ledger,
  LedgerClaim,
  LedgerClaimOptions,
  LedgerClaimState,
  LedgerEntryState,
  LedgerKey,
  LedgerRecordOptions,
  LedgerRecordState,
  LedgerResolution,
} from '../../src/ledger/ledger.ts';

/**
 * A ledger in a file for several processes. It is the smallest ledger that passes the suite with
 * several handles.
 */
export class FileLedger implements Ledger {
  readonly #database: DatabaseSync;
  readonly #retention: number;

  constructor(path: string, retention: number = Number.POSITIVE_INFINITY) {
    this.#retention = retention;
    this.#database = new DatabaseSync(path, { timeout: 10_000 });
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS entries (id TEXT PRIMARY KEY, entry TEXT NOT NULL, changed REAL NOT NULL);
      CREATE TABLE IF NOT EXISTS made (one INTEGER PRIMARY KEY CHECK (one = 1), at REAL NOT NULL);
    `);
    this.#database.prepare('INSERT OR IGNORE INTO made VALUES (1, ?)').run(Date.now());
  }

  close(): void {
    this.#database.close();
  }

  async retainedSince(): Promise<number> {
    return this.#retainedSince();
  }

  async claim(key: LedgerKey, { digest, lease }: LedgerClaimOptions): Promise<LedgerClaimState> {
    return this.#atomically(() => {
      const taken = this.#taken(key, digest);
      if (taken !== undefined) return taken;
      const attempt = randomUUID();
      this.#put(key, { kind: 'claimed', attempt, until: Date.now() + lease, digest });
      return { state: 'held', claim: { key: { ...key }, attempt } };
    });
  }

  async extend(claim: LedgerClaim, lease: number): Promise<'extended' | 'lost'> {
    return this.#atomically(() => {
      const entry = this.#entryOf(claim);
      if (entry?.kind !== 'claimed') return 'lost';
      this.#put(claim.key, { ...entry, until: Date.now() + lease });
      return 'extended';
    });
  }

  async release(claim: LedgerClaim): Promise<void> {
    this.#atomically(() => {
      if (this.#entryOf(claim)?.kind === 'claimed') this.#delete(claim.key);
    });
  }

  async settle(claim: LedgerClaim, outcome: JsonValue): Promise<'settled' | 'lost'> {
    return this.#atomically(() => {
      const entry = this.#entryOf(claim);
      if (entry === undefined) return 'lost';
      const { attempt, digest } = entry;
      if (entry.kind !== 'settled') {
        this.#put(claim.key, { kind: 'settled', attempt, outcome, digest });
      }
      return 'settled';
    });
  }

  async doubt(claim: LedgerClaim, reason: string): Promise<void> {
    this.#atomically(() => {
      const entry = this.#entryOf(claim);
      if (entry?.kind !== 'claimed') return;
      const { attempt, digest } = entry;
      this.#put(claim.key, { kind: 'doubted', attempt, reason, since: Date.now(), digest });
    });
  }

  async record(
    key: LedgerKey,
    { digest, outcome }: LedgerRecordOptions,
  ): Promise<LedgerRecordState> {
    return this.#atomically(() => {
      const taken = this.#taken(key, digest);
      if (taken === undefined) this.#put(key, { kind: 'settled', outcome, digest });
      return taken ?? { state: 'recorded' };
    });
  }

  async resolve(claim: LedgerClaim, resolution: LedgerResolution): Promise<'resolved' | 'lost'> {
    return this.#atomically(() => {
      const entry = this.#entryOf(claim);
      if (entry === undefined || stateOf(claim.key, entry).state !== 'doubt') return 'lost';
      const { digest } = entry;
      if (resolution.kind === 'run-again') this.#delete(claim.key);
      else this.#put(claim.key, { kind: 'settled', outcome: resolution.outcome, digest });
      return 'resolved';
    });
  }

  async read(key: LedgerKey): Promise<LedgerEntryState | undefined> {
    const entry = this.#get(key);
    return entry && stateOf(key, entry);
  }

  #atomically<T>(action: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = action();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #taken(key: LedgerKey, digest: string | undefined) {
    const entry = this.#get(key);
    if (entry === undefined) return undefined;
    return digest !== undefined && entry.digest !== undefined && digest !== entry.digest
      ? ({ state: 'conflict', digest: entry.digest } as const)
      : stateOf(key, entry);
  }

  #entryOf({ key, attempt }: LedgerClaim): Entry | undefined {
    const entry = this.#get(key);
    return entry?.attempt === attempt ? entry : undefined;
  }

  #get(key: LedgerKey): Entry | undefined {
    const row = this.#database.prepare('SELECT entry FROM entries WHERE id = ?').get(idOf(key));
    return row && JSON.parse(String(row['entry']));
  }

  #put(key: LedgerKey, entry: Entry): void {
    this.#database
      .prepare("DELETE FROM entries WHERE changed < ? AND COALESCE(entry ->> '$.until', 0) <= ?")
      .run(this.#retainedSince(), Date.now());
    this.#database
      .prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?)')
      .run(idOf(key), JSON.stringify(entry), Date.now());
  }

  #delete(key: LedgerKey): void {
    this.#database.prepare('DELETE FROM entries WHERE id = ?').run(idOf(key));
  }

  #retainedSince(): number {
    const made = Number(this.#database.prepare('SELECT at FROM made').get()?.['at']);
    return Math.max(made, Date.now() - this.#retention);
  }
}

type Entry = { readonly attempt?: string | undefined; readonly digest?: string | undefined } & (
  | { readonly kind: 'claimed'; readonly attempt: string; readonly until: number }
  | {
      readonly kind: 'doubted';
      readonly attempt: string;
      readonly reason: string;
      readonly since: number;
    }
  | { readonly kind: 'settled'; readonly outcome: JsonValue }
);

function stateOf(key: LedgerKey, entry: Entry): LedgerEntryState {
  const { digest } = entry;
  if (entry.kind === 'settled') return { state: 'settled', outcome: entry.outcome, digest };
  const claim = { key, attempt: entry.attempt };
  if (entry.kind === 'doubted') {
    return { state: 'doubt', claim, reason: entry.reason, since: entry.since, digest };
  }
  const { until } = entry;
  return until > Date.now()
    ? { state: 'busy', until, digest }
    : { state: 'doubt', claim, reason: 'The lease ran out.', since: until, digest };
}

/** Keys are JSON, because SQLite stores UTF-8, in which unpaired surrogates are equal. */
function idOf({ step, slot }: LedgerKey): string {
  return JSON.stringify([step, slot]);
}
