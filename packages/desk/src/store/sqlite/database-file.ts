import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DeskError } from '../../errors/desk-error.ts';

/** The file of an open database. It detects if the path leads to another file, or to none. */
export class DatabaseFile {
  readonly #path: string | undefined;
  readonly #opened: string | undefined;

  /** Call it once the database is open, because that creates the file. */
  constructor(path: string) {
    this.#path = fileOf(path);
    this.#opened = this.#path === undefined ? undefined : identityOf(this.#path);
  }

  /**
   * Throws if the file was removed or replaced. SQLite keeps using the file that it has opened, so a
   * transaction would succeed, and no file with the path would contain it.
   */
  requireSame(): void {
    if (this.#path === undefined || this.#opened === undefined) return;
    const found = identityOf(this.#path);
    if (found !== this.#opened) throw replaced(this.#path, found === undefined);
  }
}

/** A database in memory, or a temporary one, has no file. */
function fileOf(path: string): string | undefined {
  if (path === '' || path.includes(':memory:')) return undefined;
  return path.startsWith('file:') ? fileURLToPath(path.replace(/[?#].*$/, '')) : path;
}

/**
 * Returns the device and the inode, or `undefined` if the file is missing or the system has no
 * inodes.
 */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined || found.ino === 0n ? undefined : `${found.dev}:${found.ino}`;
}

function replaced(path: string, isGone: boolean): DeskError {
  return new DeskError(
    'store-unreachable',
    `The SQLite file \`${path}\` was ${isGone ? 'removed' : 'replaced'} while the desk had it open, so nothing ` +
      'can be stored in it any more. Stop the desk, check the file, and start the desk again.',
  );
}
