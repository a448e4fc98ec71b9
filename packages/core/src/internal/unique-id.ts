/** Returns a UUID of version 7: the time in milliseconds, then the random digits of a UUID of version 4. */
export function uuidV7(now: number, randomUuid: string): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUuid.slice(15)}`;
}
