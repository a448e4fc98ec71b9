import type { DatabaseSync } from 'node:sqlite';
import { UserError } from 'holdpoint';

/** The result codes of SQLite that say why a file cannot be opened. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [8, 'Check that the process may write to the file and its folder.'],
  [10, 'Check the disk.'],
  [11, 'Restore the file from a backup.'],
  [13, 'The disk is full. Make room on it.'],
  [14, 'Check that its folder exists, and that the process may write to it.'],
  [23, 'Check that the process may write to the file.'],
  [26, 'Pass the path of a file that a desk has made, or of a new one.'],
]);

/** Returns an error that names the file; errors that are not from SQLite stay as they are. */
export function openError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const advice = REASONS.get(Number(error.errcode) & 0xff) ?? 'Check the file.';
  return new UserError(
    `The SQLite file \`${path}\` cannot be opened: ${error.message}. ${advice}`,
    { cause: error },
  );
}

/** Loads `node:sqlite`, which not every Node.js has. */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  try {
    return (await import('node:sqlite')).DatabaseSync;
  } catch (error) {
    throw new UserError(
      `\`sqliteStore\` needs the module \`node:sqlite\`, which this runtime (${process.version}) does not have. ` +
        'Use Node.js 22.13 or later, or use `postgresStore`.',
      { cause: error, code: 'missing-package' },
    );
  }
}
