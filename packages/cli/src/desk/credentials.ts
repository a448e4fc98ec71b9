import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UserError } from 'holdpoint';

/** The desk that later commands use, and the token for it. */
export interface Credentials {
  readonly url: string;
  readonly token: string;
}

/** Returns the file in the user's configuration folder that `holdpoint login` writes. */
function credentialsFile(environment: NodeJS.ProcessEnv): string {
  const folder =
    environment['XDG_CONFIG_HOME'] ||
    (process.platform === 'win32' && environment['APPDATA']) ||
    join(homedir(), '.config');
  return join(folder, 'holdpoint', 'credentials.json');
}

/** Reads the stored credentials. Throws if other users of the machine can read them. */
export function readCredentials(environment: NodeJS.ProcessEnv): Credentials | undefined {
  const path = credentialsFile(environment);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new UserError(
      `Other users can read \`${path}\`, which holds a token. Run \`chmod 600 ${path}\`, or \`holdpoint login\` with a new token.`,
    );
  }
  const { url, token } = parse(path);
  if (typeof url === 'string' && typeof token === 'string') return { url, token };
  throw unreadable(path);
}

/** Stores credentials so that only the current user can read them. */
export function writeCredentials(environment: NodeJS.ProcessEnv, credentials: Credentials): string {
  const path = credentialsFile(environment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A rename replaces a file with other permissions, which writing would keep.
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, path);
  return path;
}

/** Deletes the stored credentials. Returns false if they are missing. */
export function deleteCredentials(environment: NodeJS.ProcessEnv): boolean {
  const path = credentialsFile(environment);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  rmSync(path);
  return true;
}

function parse(path: string): { readonly url?: unknown; readonly token?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause?: unknown): UserError {
  return new UserError(
    `\`${path}\` does not contain a url and a token. Run \`holdpoint login\` again.`,
    { cause },
  );
}
