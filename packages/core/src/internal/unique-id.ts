/** Returns a UUID of version 7 from the time in milliseconds and 16 random bytes. */
export function uuidV7(now: number, random: Uint8Array): string {
  const bytes = new DataView(Uint8Array.from(random).buffer);
  bytes.setUint32(0, Math.floor(now / 2 ** 16));
  bytes.setUint16(4, now % 2 ** 16);
  bytes.setUint8(6, 0x70 | (bytes.getUint8(6) & 0x0f));
  bytes.setUint8(8, 0x80 | (bytes.getUint8(8) & 0x3f));
  const digits = Array.from(new Uint8Array(bytes.buffer), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
