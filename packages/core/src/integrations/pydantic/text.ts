import { JsonPath } from '../../messages/codec/index.ts';
import { parseJson } from '../../messages/codec/codec.ts';

/** Parses JSON text. An integer that a number cannot represent becomes a `bigint`. */
export function parseText(text: string): unknown {
  return parseJson(text, HAS_LONG_NUMBER.test(text) ? reviveInteger : undefined);
}

/** Shorter integers are exact as numbers, and few texts have longer ones. */
const HAS_LONG_NUMBER = /\d{16}/;

/** The third argument of a reviver, which not all runtimes pass. */
interface ReviverContext {
  readonly source?: string;
}

function reviveInteger(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  if (source === undefined) {
    if (!Number.isInteger(value)) return value;
    return JsonPath.root.fail(
      'Expected integers that a number can hold: this JavaScript does not show the digits of others.',
    );
  }
  const isExact = !/^-?\d+$/.test(source) || String(value) === source;
  return isExact ? value : BigInt(source);
}

/** Writes JSON text. A `bigint` becomes an integer. */
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
