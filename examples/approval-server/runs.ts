// Stores runs in one table. `node:sqlite` stands for any database.
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

/** A stored run. */
export interface StoredRun {
  readonly id: string;
  /** `resuming` while a process executes it; an operator has to review it if that process dies. */
  readonly status: 'parked' | 'resuming' | 'finished' | 'failed';
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

  /** Stores a finished or parked run; a new one gets an id. */
  save(result: RunResultOf<typeof output>, id: string = randomUUID()): StoredRun {
    const isParked = result.status === 'parked';
    const run: StoredRun = {
      id,
      status: isParked ? 'parked' : 'finished',
      requests: isParked ? result.output : undefined,
      output: isParked ? undefined : result.output,
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

  /** Stores the messages of a failed run. */
  saveFailure(id: string, messages: readonly Message[]): void {
    this.#database
      .prepare(`UPDATE runs SET status = 'failed', messages = ?, requests = NULL WHERE id = ?`)
      .run(messageCodec.stringify(messages), id);
  }

  find(id: string): StoredRun | undefined {
    const row = this.#database.prepare('SELECT * FROM runs WHERE id = ?').get(id);
    return row && readRun(row);
  }

  /** Lists the runs that need a decision. */
  parked(): readonly StoredRun[] {
    return this.#database
      .prepare(`SELECT * FROM runs WHERE status = 'parked'`)
      .all()
      .map((row) => readRun(row));
  }

  /** Claims a parked run. One of several callers gets its history, the others get `undefined`. */
  claim(id: string): readonly Message[] | undefined {
    const row = this.#database
      .prepare(
        `UPDATE runs SET status = 'resuming' WHERE id = ? AND status = 'parked' RETURNING messages`,
      )
      .get(id);
    return row && messageCodec.parse(String(row['messages']));
  }

  /** Releases a claimed run in which no tool was executed. */
  release(id: string): void {
    this.#database
      .prepare(`UPDATE runs SET status = 'parked' WHERE id = ? AND status = 'resuming'`)
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
