import { describe, expect, it } from 'vitest';
import { JsonPath } from '../../messages/codec/index.ts';
import { decimalFormat, pydanticBytesFormat, timeFormat } from './values.ts';

describe('bytes in documents of Pydantic AI', () => {
  it.each([
    ['', ''],
    ['AP8=', 'AP8='],
    ['AP8', 'AP8='],
    ['AP/+', 'AP_-'],
    ['AP_-', 'AP_-'],
    ['QQ==', 'QQ=='],
    ['QQ', 'QQ=='],
    ['AA=', 'AA=='],
  ])('are URL-safe base64 with padding: %j', (value, expected) => {
    expect(pydanticBytesFormat.read(value, JsonPath.root)).toBe(expected);
    expect(pydanticBytesFormat.write(value, JsonPath.root)).toBe(expected);
  });

  it.each([null, 1, '!!', 'A', 'A===', 'AAAA=', 'AAAA====', 'AP 8=', 'AP8\n', 'QR', 'QR=='])(
    'are rejected if the text is not base64: %j',
    (value) => {
      expect(() => pydanticBytesFormat.read(value, JsonPath.root)).toThrow(
        'Expected bytes as base64',
      );
    },
  );
});

const readDecimal = (value: unknown) => decimalFormat.read(value, JsonPath.root);

describe('decimal number in documents of Pydantic AI', () => {
  // As pydantic 2.13 loads and dumps them.
  it.each([
    ['0.00123400', '0.00123400'],
    ['1e-7', '1E-7'],
    ['0.0000001', '1E-7'],
    ['0.0000012', '0.0000012'],
    ['1E+3', '1E+3'],
    ['1e400', '1E+400'],
    ['0e-10', '0E-10'],
    ['-1.50E+2', '-150'],
    ['+1.5', '1.5'],
    [' 1.5 ', '1.5'],
    ['1_000', '1000'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['00.10', '0.10'],
    ['-0', '-0'],
    ['12345678901234567890.1', '12345678901234567890.1'],
    [0.5, '0.5'],
    [1e-7, '1E-7'],
    [100, '100'],
    [1e22, '10000000000000000000000'],
    [-0, '-0'],
    [12345678901234567890n, '12345678901234567890'],
  ])('has the form of Python: %o', (value, expected) => {
    expect(readDecimal(value)).toBe(expected);
    expect(readDecimal(expected)).toBe(expected);
  });

  it.each([null, true, '', '.', 'e5', 'NaN', 'Infinity', Number.POSITIVE_INFINITY, '1,5', '0x1'])(
    'is rejected if it is not a number: %o',
    (value) => {
      expect(() => readDecimal(value)).toThrow('Expected a decimal number');
    },
  );
});

const readTime = (value: unknown) => timeFormat.read(value, JsonPath.root);

describe('time in documents of Pydantic AI', () => {
  // As pydantic 2.13 loads and dumps them.
  it.each([
    ['2025-02-03T10:00:00Z', '2025-02-03T10:00:00Z'],
    ['2025-02-03T10:00:00.000000Z', '2025-02-03T10:00:00Z'],
    ['2025-02-03T10:00:00.25Z', '2025-02-03T10:00:00.250000Z'],
    ['2025-02-03T10:00:00.123456789Z', '2025-02-03T10:00:00.123456Z'],
    ['2025-02-03T10:00:00.0000001Z', '2025-02-03T10:00:00Z'],
    ['2025-02-03T10:00:00,5Z', '2025-02-03T10:00:00.500000Z'],
    ['2025-02-03t10:00:00z', '2025-02-03T10:00:00Z'],
    ['2025-02-03 10:00', '2025-02-03T10:00:00'],
    ['2025-02-03_10:00:00Z', '2025-02-03T10:00:00Z'],
    ['2025-02-03', '2025-02-03T00:00:00'],
    ['2025-02-03T10:00Z', '2025-02-03T10:00:00Z'],
    ['2025-02-03T10:00:00+0200', '2025-02-03T10:00:00+02:00'],
    ['2025-02-03T10:00:00+23:59', '2025-02-03T10:00:00+23:59'],
    ['2025-02-03T10:00:00-00:00', '2025-02-03T10:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['1738576800.5', '2025-02-03T10:00:00.500000Z'],
    [1738576800, '2025-02-03T10:00:00Z'],
    [1738576800.1234567, '2025-02-03T10:00:00.123457Z'],
    [1738576800123, '2025-02-03T10:00:00.123000Z'],
    [20000000000, '2603-10-11T11:33:20Z'],
    [20000000001, '1970-08-20T11:33:20.001000Z'],
    [-1, '1969-12-31T23:59:59Z'],
    [-0.5, '1969-12-31T23:59:59.500000Z'],
    [-20000000001, '1969-05-14T12:26:39.999000Z'],
  ])('is read as the reference reads it: %j', (value, expected) => {
    expect(readTime(value)).toBe(expected);
    expect(readTime(expected)).toBe(expected);
  });

  it.each([
    null,
    true,
    '',
    'now',
    '2025-02-30T10:00:00Z',
    '2025-00-03T10:00:00Z',
    '2025-02-00T10:00:00Z',
    '2025-02-03T24:00:00Z',
    '2025-02-03T10:60:00Z',
    '2025-02-03T10:00:60Z',
    '2025-02-03T10:00:00.Z',
    '2025-02-03T10:00:00+02',
    '2025-02-03T10:00:00+24:00',
    ' 2025-02-03T10:00:00Z',
    '20250203T100000Z',
    '0000-01-01T00:00:00Z',
    1738576800123456,
    1e20,
    Number.NaN,
  ])('is rejected if it is not a time: %j', (value) => {
    expect(() => readTime(value)).toThrow('Expected a date and time');
  });
});
