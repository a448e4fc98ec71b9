import { createHash } from 'node:crypto';

/** Ids and random numbers that follow from a seed, so that a replay gets the same ones. */
export class SeededIds {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Returns a UUID of version 7. */
  newId(time: number): string {
    const bytes = this.#nextHash().subarray(0, 16);
    bytes.writeUIntBE(time, 0, 6);
    bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
    const hex = bytes.toString('hex');
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
    return [...parts, hex.slice(20)].join('-');
  }

  /** Returns a number from 0 up to, not including, 1. */
  random(): number {
    return this.#nextHash().readUInt32BE(0) / 2 ** 32;
  }

  #nextHash(): Buffer {
    return createHash('sha256')
      .update(`${this.#seed}:${this.#count++}`)
      .digest();
  }
}
