/** Returns a UUID of version 7: the time in milliseconds, then the random digits of a UUID of version 4. */
export function uuidV7(now: number, randomUuid: string): string {
  const high = Math.floor(now / 0x10000).toString(16);
  const low = (now % 0x10000).toString(16);
  return `${high.padStart(8, '0')}-${low.padStart(4, '0')}-7${randomUuid.slice(15)}`;
}
