import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from 'holdpoint';
import { stateFolder } from '../acp/session-files.ts';

const KEY_BYTES = 32;

/**
 * Returns the key for the states of calls: `HOLDPOINT_MCP_KEY`, or the one in the state folder of the user. It is the same
 * after a restart, so that a client can continue a call of an earlier process.
 */
export async function stateKey(environment: NodeJS.ProcessEnv): Promise<Uint8Array> {
  const given = environment['HOLDPOINT_MCP_KEY'];
  if (given) return decoded(given, '`HOLDPOINT_MCP_KEY`');
  const folder = join(stateFolder(environment), 'holdpoint', 'mcp');
  const file = join(folder, 'key');
  const existing = await read(file);
  if (existing !== undefined) return decoded(existing, `\`${file}\``);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600 });
  try {
    // If several processes start at the same time, the first one creates the key.
    await link(next, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(next);
  }
  return decoded(await readFile(file, 'utf8'), `\`${file}\``);
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function decoded(text: string, what: string): Uint8Array {
  const key = Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new UserError(
    `${what} is not a key of ${KEY_BYTES} bytes. Set it to the output of \`openssl rand -base64 32\`.`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
