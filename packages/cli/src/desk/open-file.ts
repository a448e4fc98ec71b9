import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { openDesk, type Store, sqliteStore } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import type { ReachedDesk } from './reach-desk.ts';
import type { Where } from './where.ts';

/** Nothing is sent: it only has to look like an address. */
const NO_ADDRESS = 'http://desk.invalid';

/**
 * Opens the desk in a SQLite file. It has no agents: it lists, and takes answers; workers elsewhere go on.
 *
 * Whoever can write the file can do so, too: what a server says about who may answer holds for its callers.
 */
export async function openFile(where: Extract<Where, { kind: 'store' }>): Promise<ReachedDesk> {
  const { path, by, tenant, roles } = where;
  const store = await openStore(path);
  const failures: unknown[] = [];
  const desk = openDesk({
    store,
    agents: {},
    authorize: () => ({ tenant, person: { id: by }, roles }),
    onError: (error) => failures.push(error),
  });
  const client = deskClient({
    url: NO_ADDRESS,
    fetch: async (request) => {
      const response = await desk.fetch(request);
      // A server would keep this to itself; here whoever asks is the one who has to know.
      if (failures.length > 0) throw failures[0];
      return response;
    },
  });
  return { client, [Symbol.asyncDispose]: () => store.close() };
}

async function openStore(path: string): Promise<Store> {
  try {
    requireDeskFile(path);
    return await sqliteStore({ path });
  } catch (error) {
    throw unusable(path, error);
  }
}

/** To open a store makes one where there is none, which is not what somebody wants who mistyped its name. */
function requireDeskFile(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new UserError(
      `There is no file '${path}'. Give the one that the desk has, as in sqliteStore({ path }).`,
    );
  }
  if (isDeskFile(path)) return;
  throw new UserError(`'${path}' is not the SQLite file of a desk.`);
}

const NOT_A_DATABASE = 26;
const PATIENCE_MS = 2_000;

function isDeskFile(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS });
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

/** Whoever gave the file has to know what is the matter with it, and needs no stack for that. */
function unusable(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const { errcode, message } = Object(error) as {
    readonly errcode?: unknown;
    readonly message?: unknown;
  };
  const [, advice = ''] = ADVICE.find(([code]) => code === (Number(errcode) & 0xff)) ?? [];
  return new UserError(`'${path}' cannot be used: ${String(message)}${advice}`, { cause: error });
}

/** What to do about errors of SQLite, by the last 8 bits of their codes. */
const ADVICE: readonly (readonly [code: number, advice: string])[] = [
  [5, '. Another program has kept it locked for seconds. Try again, or look for one that hangs.'],
  [8, '. An answer is written to it, and to the files beside it: see that you may.'],
  [14, '. See that you may read it, and write to its folder.'],
];
