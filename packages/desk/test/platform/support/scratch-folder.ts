import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeAtExit } from './leftovers.ts';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

/**
 * Returns a folder for files that are synced often: in memory if the system has such a folder.
 * Files in memory survive killed processes as well.
 */
export function scratchRoot(): string {
  return hasMemory() ? IN_MEMORY : tmpdir();
}

/** Creates a folder that is removed when this process ends. */
export function scratchFolder(purpose: string): string {
  const folder = mkdtempSync(join(scratchRoot(), `holdpoint-${purpose}-`));
  removeAtExit(folder);
  return folder;
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}
