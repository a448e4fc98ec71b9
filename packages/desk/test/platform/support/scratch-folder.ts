import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

/**
 * A new folder for files that are written and synced all the time: in memory, where there is such a place.
 * For processes that are killed it is the same, since what they have written is the system's.
 */
export function scratchFolder(purpose: string): string {
  return mkdtempSync(join(hasMemory() ? IN_MEMORY : tmpdir(), `holdpoint-${purpose}-`));
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}
