import { type Format, same } from '../../messages/codec/format.ts';

/**
 * A date and time as Pydantic AI writes it.
 *
 * UTC ends with `Z`; other offsets, and times without an offset, are kept. A fraction has six digits or
 * is absent. The program uses text too, because a `Date` has no microseconds.
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

/** Truncates to microseconds, like Pydantic AI. */
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
