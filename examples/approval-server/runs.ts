// Where runs wait: one table. `node:sqlite` stands for any database.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import {
  type DeferredToolRequests,
  type Message,
  messageCodec,
  requestsCodec,
  type RunResultOf,
} from 'holdpoint';
import type { output } from './agent.ts';

/** A run as it is stored. */
export interface StoredRun {
  readonly id: string;
  /** `resuming` while somebody goes on with it; it stays so if that process dies, for a person to look at. */
  readonly status: 'waiting' | 'resuming' | 'finished' | 'failed';
  /** What it waits for. */
  readonly requests: DeferredToolRequests | undefined;
  readonly output: string | undefined;
}

export class RunStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`
      CREATE TABLE IF NOT EXISTS runs (
        id TEXT PRIMARY KEY, status TEXT NOT NULL, messages TEXT NOT NULL, requests TEXT, output TEXT
      )`);
  }

  /** Keeps a run that has ended, finished or waiting; a new one gets an id. */
  keep(result: RunResultOf<typeof output>, id: string = randomUUID()): StoredRun {
    const waits = result.status === 'parked';
    const run: StoredRun = {
      id,
      status: waits ? 'waiting' : 'finished',
      requests: waits ? result.output : undefined,
      output: waits ? undefined : result.output,
    };
    this.#database
      .prepare('INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)')
      .run(
        id,
        run.status,
        messageCodec.stringify(result.messages),
        run.requests === undefined ? null : requestsCodec.stringify(run.requests),
        run.output ?? null,
      );
    return run;
  }

  /** Keeps what a run that failed has said until then. */
  keepFailure(id: string, messages: readonly Message[]): void {
    this.#database
      .prepare(`UPDATE runs SET status = 'failed', messages = ?, requests = NULL WHERE id = ?`)
      .run(messageCodec.stringify(messages), id);
  }

  find(id: string): StoredRun | undefined {
    const row = this.#database.prepare('SELECT * FROM runs WHERE id = ?').get(id);
    return row && readRun(row);
  }

  /** The runs that somebody has to look at. */
  waiting(): readonly StoredRun[] {
    return this.#database
      .prepare(`SELECT * FROM runs WHERE status = 'waiting'`)
      .all()
      .map((row) => readRun(row));
  }

  /** Takes a waiting run. One of many gets its history, the others get `undefined`. */
  take(id: string): readonly Message[] | undefined {
    const row = this.#database
      .prepare(
        `UPDATE runs SET status = 'resuming' WHERE id = ? AND status = 'waiting' RETURNING messages`,
      )
      .get(id);
    return row && messageCodec.parse(String(row['messages']));
  }

  /** Gives a run back with which nothing was done. */
  giveBack(id: string): void {
    this.#database
      .prepare(`UPDATE runs SET status = 'waiting' WHERE id = ? AND status = 'resuming'`)
      .run(id);
  }
}

function readRun(row: Record<string, unknown>): StoredRun {
  return {
    id: String(row['id']),
    // Only this file writes the column.
    status: row['status'] as StoredRun['status'],
    requests: row['requests'] === null ? undefined : requestsCodec.parse(String(row['requests'])),
    output: row['output'] === null ? undefined : String(row['output']),
  };
}
