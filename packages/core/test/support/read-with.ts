import type { Codec } from '../../src/index.ts';

/** Reads text with `parse`, and other values with `fromJSON`. */
export function readWith<Value>(
  codec: Codec<Value, unknown, number | undefined>,
  input: unknown,
): Value {
  return typeof input === 'string' ? codec.parse(input) : codec.fromJSON(input);
}
