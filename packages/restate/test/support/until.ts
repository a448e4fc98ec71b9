import { setTimeout as sleep } from 'node:timers/promises';

/** Reads until a value is there. */
export async function until<T>(
  read: () => T | undefined | Promise<T | undefined>,
  seconds = 60,
): Promise<T> {
  const end = Date.now() + seconds * 1_000;
  while (Date.now() < end) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(20);
  }
  throw new Error('The expected state was not reached.');
}
