import type { Wire } from './wire.ts';

/** A decimal number as Python writes it; all of its digits are kept. */
export const decimal: Wire<string> = {
  load: (value, trail) => toDecimal(value) ?? trail.mismatchedText('a decimal number', value),
  dump: (value, trail) => toDecimal(value) ?? trail.mismatchedText('a decimal number', value),
};

const DECIMAL =
  /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<part>\d*))?(?:[eE](?<exponent>[+-]?\d{1,4}))?$/;

function toDecimal(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : format(String(value), true);
    case 'string':
      return format(value.trim().replaceAll('_', ''), false);
    default:
      return undefined;
  }
}

/** What comes from a number is written out; a text keeps its exponent. */
function format(text: string, writtenOut: boolean): string | undefined {
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
