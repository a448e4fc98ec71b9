import { describe, expect, it } from 'vitest';
import { JsonPath } from '../../messages/codec/index.ts';
import { decimalFormat } from './values.ts';

const load = (value: unknown) => decimalFormat.read(value, JsonPath.root);

describe('a decimal number', () => {
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
  ])('is written as Python writes it: %o', (value, expected) => {
    expect(load(value)).toBe(expected);
    expect(load(expected)).toBe(expected);
  });

  it.each([null, true, '', '.', 'e5', 'NaN', 'Infinity', Number.POSITIVE_INFINITY, '1,5', '0x1'])(
    'is refused if it is none: %o',
    (value) => {
      expect(() => load(value)).toThrow('Expected a decimal number');
    },
  );
});
