import { InvalidJsonError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { type Fields, optional, type OptionalField } from '../../messages/codec/field.ts';
import { constant, type Format, same } from '../../messages/codec/format.ts';
import { jsonFormats, readLeaf } from '../../messages/codec/json-format.ts';
import { translatedObjectOf } from '../../messages/codec/object-format.ts';

/** An object of Pydantic AI, whose members are in snake case. */
export function pydanticObjectOf<T extends object>(fields: Fields<T>): Format<T> {
  return translatedObjectOf(fields, snakeCase);
}

/** Creates the formats of objects whose member `tag` contains their kind. */
export function variantsBy(
  tag: string,
): <T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
  documentKind?: string,
) => Format<T> {
  return <T extends { readonly kind: string }>(
    kind: T['kind'],
    fields: Fields<Omit<T, 'kind'>>,
    documentKind: string = kind,
  ) => {
    const kindFormat = constant(kind, documentKind);
    const members = pydanticObjectOf<Omit<T, 'kind'>>(fields);
    return {
      read(value, path) {
        const found = isPlainObject(value) ? value[tag] : undefined;
        // A document may lack the kind if only one is possible.
        if (found !== undefined) kindFormat.read(found, path.at(tag));
        // The kind and the other members are all members of T.
        return Object.freeze({ kind, ...members.read(value, path) }) as unknown as T;
      },
      // The fields read the members of T other than the kind.
      write: (value, path) =>
        Object.freeze({
          // `T` without its kind has exactly the other members.
          ...(members.write(value as unknown as Omit<T, 'kind'>, path) as object),
          [tag]: documentKind,
        }),
    };
  };
}

/** An optional member that may be null in a document, and is not written if it is missing. */
export function optionalReadingNull<T>(format: Format<T>): OptionalField<T> {
  return { ...optional(format), ifNull: 'missing' };
}

/** Converts a name to snake case. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Creates the formats of message parts. */
export const partOf: ReturnType<typeof variantsBy> = variantsBy('part_kind');

/** Returns the result of `read`, or `undefined` if the value is invalid. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}

const json = jsonFormats((value, path) =>
  // The type of JSON values does not include big integers; see pydanticJsonFormat.
  typeof value === 'bigint' ? (value as unknown as JsonValue) : readLeaf(value, path),
);

/**
 * JSON of any shape.
 *
 * An integer that a number cannot represent is a `bigint`. The type does not include it, because only the
 * documents of Pydantic AI contain such integers.
 */
export const pydanticJsonFormat: Format<JsonValue> = json.value;

/** A JSON object of any shape; see {@link pydanticJsonFormat}. */
export const pydanticJsonObjectFormat: Format<JsonObject> = json.object;

/** An integer. A document may contain it as text. */
export const integerFormat: Format<number> = same((value, path) => {
  const number =
    typeof value === 'string' && /^\s*[+-]?\d+(?:\.0+)?\s*$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) ? (number as number) : path.mismatch('an integer', value);
});

/** Bytes as Pydantic AI writes them: base64 in the URL-safe alphabet, padded. */
export const pydanticBytesFormat: Format<string> = same((value, path) => {
  if (typeof value !== 'string') return path.mismatch('bytes as base64', value);
  return normalizeBase64(value) ?? path.fail('Expected bytes as base64, found other text.');
});

/** Returns the normal form of base64, or `undefined` for other text. */
function normalizeBase64(text: string): string | undefined {
  const data = text.replace(/={1,2}$/, '');
  const extra = data.length % 4;
  if (/[^\w+/-]/.test(data) || extra === 1 || !hasWholeBytes(data, extra)) return undefined;
  if (text.length > data.length && text.length > data.length + ((4 - extra) % 4)) return undefined;
  const safe = data.replaceAll('+', '-').replaceAll('/', '_');
  return safe.padEnd(safe.length + ((4 - extra) % 4), '=');
}

/** Returns true if the unused bits of the last character are zero. */
function hasWholeBytes(data: string, extra: number): boolean {
  if (extra === 2) return /[AQgw]$/.test(data);
  return extra !== 3 || /[AEIMQUYcgkosw048]$/.test(data);
}

/** A decimal number as Python writes it, with all of its digits. */
export const decimalFormat: Format<string> = same(
  (value, path) => toDecimal(value) ?? path.mismatchedText('a decimal number', value),
);

const DECIMAL =
  /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<part>\d*))?(?:[eE](?<exponent>[+-]?\d{1,4}))?$/;

function toDecimal(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : formatDecimal(String(value), true);
    case 'string':
      return formatDecimal(value.trim().replaceAll('_', ''), false);
    default:
      return undefined;
  }
}

/** Formats the digits of a number without an exponent; text keeps its exponent. */
function formatDecimal(text: string, writtenOut: boolean): string | undefined {
  const { sign = '', whole = '', part = '', exponent = '0' } = DECIMAL.exec(text)?.groups ?? {};
  if (whole + part === '') return undefined;
  const minus = sign === '-' ? '-' : '';
  const digits = (whole + part).replace(/^0+(?=\d)/, '');
  const scale = Number(exponent) - part.length;
  if (writtenOut && scale > 0) return minus + digits + '0'.repeat(scale);
  const adjusted = scale + digits.length - 1;
  return (
    minus + (scale <= 0 && adjusted >= -6 ? plain(digits, scale) : scientific(digits, adjusted))
  );
}

function plain(digits: string, scale: number): string {
  if (scale === 0) return digits;
  const padded = digits.padStart(1 - scale, '0');
  return `${padded.slice(0, scale)}.${padded.slice(scale)}`;
}

function scientific(digits: string, exponent: number): string {
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits.slice(0, 1)}${rest}E${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}

/**
 * A date and time as Pydantic AI writes it.
 *
 * UTC ends with `Z`. Other offsets, and times without an offset, are kept. A fraction has six digits or is
 * absent. The program uses text too, because a `Date` has only three digits.
 */
export const timeFormat: Format<string> = same(
  (value, path) => toTime(value) ?? path.mismatchedText('a date and time', value),
);

function toTime(value: unknown): string | undefined {
  if (typeof value === 'number') return fromUnix(value);
  if (typeof value !== 'string') return undefined;
  return /^[+-]?\d+(?:\.\d+)?$/.test(value) ? fromUnix(Number(value)) : fromText(value);
}

const DATE = /(?<date>(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))/;
const CLOCK = /(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?/;
const ZONE = /(?<utc>[Zz])|(?<sign>[+\-\u2212])(?<zoneHour>\d\d):?(?<zoneMinute>\d\d)/;
const TIME = new RegExp(`^${DATE.source}(?:[Tt _]${CLOCK.source}(?:${ZONE.source})?)?$`);

function fromText(text: string): string | undefined {
  const parts = TIME.exec(text)?.groups;
  if (parts === undefined || !isDay(parts)) return undefined;
  const { date, hour = '00', minute = '00', second = '00', fraction = '' } = parts;
  const zone = zoneOf(parts);
  if (hour > '23' || minute > '59' || second > '59' || zone === undefined) return undefined;
  return `${date}T${hour}:${minute}:${second}${fractionOf(fraction)}${zone}`;
}

type Parts = Readonly<Record<string, string | undefined>>;

function isDay({ year, month, day }: Parts): boolean {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return year !== '0000' && date.getUTCMonth() + 1 === Number(month) && Number(day) > 0;
}

function zoneOf({ utc, sign, zoneHour = '', zoneMinute = '' }: Parts): string | undefined {
  if (utc !== undefined) return 'Z';
  if (sign === undefined) return '';
  if (zoneHour > '23' || zoneMinute > '59') return undefined;
  if (zoneHour === '00' && zoneMinute === '00') return 'Z';
  return `${sign === '+' ? '+' : '-'}${zoneHour}:${zoneMinute}`;
}

/** Truncates to six digits, like Pydantic AI. */
function fractionOf(digits: string): string {
  const micros = digits.slice(0, 6).padEnd(6, '0');
  return micros === '000000' ? '' : `.${micros}`;
}

/** A larger number counts milliseconds instead of seconds. */
const SECONDS_END = 2e10;

function fromUnix(value: number): string | undefined {
  const micros = Math.round(value * (Math.abs(value) > SECONDS_END ? 1e3 : 1e6));
  const seconds = Math.floor(micros / 1e6);
  const date = new Date(seconds * 1e3);
  const year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return undefined;
  const fraction = String(micros - seconds * 1e6).padStart(6, '0');
  return `${date.toISOString().slice(0, 19)}${fractionOf(fraction)}Z`;
}
