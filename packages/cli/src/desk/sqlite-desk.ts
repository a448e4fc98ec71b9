import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { openDesk, type Store, sqliteStore } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import type { DeskConnection, DeskLocation } from './connection.ts';

/** Requests never leave the process; the client only needs a valid address. */
const ADDRESS = 'http://desk.invalid';

/**
 * Opens the desk in a SQLite file without agents. It reads and decides, and workers in other
 * processes resume runs. The options of a server, such as `authorize` and redaction, do not apply,
 * because a user with write access to the file can change everything in it.
 */
export async function openSqliteDesk(
  location: Extract<DeskLocation, { kind: 'store' }>,
): Promise<DeskConnection> {
  const { path, by, tenant, roles } = location;
  const store = await openStore(path);
  const errors: unknown[] = [];
  const desk = openDesk({
    store,
    agents: {},
    authorize: () => ({ tenant, person: { id: by }, roles }),
    http: { authorizeAction: () => true },
    onError: (error) => errors.push(error),
  });
  const client = deskClient({
    url: ADDRESS,
    fetch: async (request) => {
      const response = await desk.fetch(request);
      // A server hides the cause of an error from its caller; here the caller operates the desk.
      if (errors.length > 0) throw errors[0];
      return response;
    },
  });
  return { client, [Symbol.asyncDispose]: () => desk.close() };
}

/** Opens the store of a desk in a SQLite file. */
export async function openStore(path: string): Promise<Store> {
  try {
    requireDeskFile(path);
    return await sqliteStore({ path });
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Throws if the file is missing or is something else: opening a store would create its tables. */
function requireDeskFile(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new UserError(
      `There is no file \`${path}\`. Pass the path that the desk uses in \`sqliteStore({ path })\`.`,
    );
  }
  if (isDeskFile(path)) return;
  throw new UserError(`\`${path}\` is not the SQLite file of a desk. Check the path.`);
}

const NOT_A_DATABASE = 26;
const LOCK_TIMEOUT_MS = 2_000;

function isDeskFile(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  try {
    const tables = database.prepare("select name from sqlite_master where name = 'desk_runs'");
    return tables.get() !== undefined;
  } catch (error) {
    if (Object(error).errcode === NOT_A_DATABASE) return false;
    throw error;
  } finally {
    database.close();
  }
}

function unusable(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const errcode = Number(Object(error).errcode) & 0xff;
  const [, advice = ''] = ADVICE.find(([code]) => code === errcode) ?? [];
  return new UserError(`Cannot open \`${path}\`: ${String(Object(error).message)}${advice}`, {
    cause: error,
  });
}

/** Advice by the last 8 bits of SQLite's error codes. */
const ADVICE: readonly (readonly [code: number, advice: string])[] = [
  [5, '. Another program kept it locked for seconds. Try again, or stop the program that hangs.'],
  [8, '. A decision writes to it and to the files beside it. Check their permissions.'],
  [14, '. Check that you may read it and write to its folder.'],
];
