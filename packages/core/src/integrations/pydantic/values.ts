import { type Format, same } from '../../messages/codec/format.ts';
import { jsonFormats, readLeaf } from '../../messages/codec/json-format.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';

const json = jsonFormats((value, path) =>
  // The type of JSON values does not include big integers; see jsonFormat.
  typeof value === 'bigint' ? (value as unknown as JsonValue) : readLeaf(value, path),
);

/**
 * JSON of any shape.
 *
 * An integer that a number cannot represent is a `bigint`, although the type does not say so: only the
 * documents of Pydantic AI contain such integers.
 */
export const jsonFormat: Format<JsonValue> = json.value;

/** A JSON object of any shape; see {@link jsonFormat}. */
export const jsonObjectFormat: Format<JsonObject> = json.object;

/** An integer, which a document may contain as text. */
export const integerFormat: Format<number> = same((value, path) => {
  const number =
    typeof value === 'string' && /^\s*[+-]?\d+(?:\.0+)?\s*$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) ? (number as number) : path.mismatch('an integer', value);
});

/** Bytes as Pydantic AI writes them: base64 in the URL-safe alphabet, padded. */
export const base64Format: Format<string> = same((value, path) => {
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

/** Whether the unused bits of the last character are zero. */
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
