import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeWithThis } from './left-behind.ts';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

/**
 * Where files are that are written and synced all the time: in memory, where there is such a place.
 * For processes that are killed it is the same, since what they have written is the system's.
 */
export function scratchRoot(): string {
  return hasMemory() ? IN_MEMORY : tmpdir();
}

/** A new folder there, which is gone when this process is, at the latest. */
export function scratchFolder(purpose: string): string {
  const folder = mkdtempSync(join(scratchRoot(), `holdpoint-${purpose}-`));
  removeWithThis(folder);
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
