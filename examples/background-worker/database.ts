// Two tables: parked runs, and jobs for the workers. `node:sqlite` stands for any database.
import { DatabaseSync } from 'node:sqlite';

export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS runs (
      id TEXT PRIMARY KEY, status TEXT NOT NULL, messages TEXT NOT NULL, requests TEXT, output TEXT
    );
    CREATE TABLE IF NOT EXISTS jobs (
      id TEXT PRIMARY KEY, page TEXT NOT NULL, status TEXT NOT NULL, result TEXT,
      worker INTEGER, until INTEGER
    );
  `);
  return database;
}
