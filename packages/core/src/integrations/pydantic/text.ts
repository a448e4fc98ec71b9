import type { Trail } from '../../messages/codec/index.ts';

/** The document behind `input`: read from it if it is text, else the value as it is. */
export function openText(input: unknown, trail: Trail): unknown {
  return typeof input === 'string' ? parseText(input, trail) : input;
}

/** Reads JSON text; an integer that a number cannot hold becomes a `bigint`. */
export function parseText(json: string, trail: Trail): unknown {
  try {
    return HAS_LONG_NUMBER.test(json) ? JSON.parse(json, reviveIntegers) : JSON.parse(json);
  } catch (error) {
    if (error instanceof LostDigits) return trail.fail(error.message);
    return trail.fail('Expected JSON, found a text that does not parse; it may be cut off.');
  }
}

/** No integer of fewer digits is too long for a number; most texts have none of more. */
const HAS_LONG_NUMBER = /\d{16}/;

class LostDigits extends Error {}

/** What `JSON.parse` tells about a value, where it does: newer than our version of the language. */
interface ReviverContext {
  readonly source?: string;
}

function reviveIntegers(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  if (source === undefined) {
    if (!Number.isInteger(value)) return value;
    throw new LostDigits(
      'Expected integers that a number can hold: this JavaScript does not show the digits of others.',
    );
  }
  const isWritten = !/^-?\d+$/.test(source) || String(value) === source;
  return isWritten ? value : BigInt(source);
}

/** Writes JSON text; a `bigint` becomes an integer, as it was read. */
export function writeText(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return Object.is(value, -0) ? '-0.0' : JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value)
        ? `[${value.map(writeText).join(',')}]`
        : `{${Object.entries(value).flatMap(writeMember).join(',')}}`;
    default:
      return JSON.stringify(value);
  }
}

function writeMember([name, value]: [string, unknown]): string[] {
  return value === undefined ? [] : [`${JSON.stringify(name)}:${writeText(value)}`];
}
