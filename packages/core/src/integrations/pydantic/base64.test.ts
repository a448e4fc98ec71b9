import { describe, expect, it } from 'vitest';
import { JsonPath } from '../../messages/codec/index.ts';
import { base64Format } from './values.ts';

describe('base64', () => {
  it.each([
    ['', ''],
    ['AP8=', 'AP8='],
    ['AP8', 'AP8='],
    ['AP/+', 'AP_-'],
    ['AP_-', 'AP_-'],
    ['QQ==', 'QQ=='],
    ['QQ', 'QQ=='],
    ['AA=', 'AA=='],
  ])('is written in the alphabet for addresses, and padded: %j', (value, expected) => {
    expect(base64Format.read(value, JsonPath.root)).toBe(expected);
    expect(base64Format.write(value, JsonPath.root)).toBe(expected);
  });

  it.each([null, 1, '!!', 'A', 'A===', 'AAAA=', 'AAAA====', 'AP 8=', 'AP8\n', 'QR', 'QR=='])(
    'is refused if it stands for no bytes: %j',
    (value) => {
      expect(() => base64Format.read(value, JsonPath.root)).toThrow('Expected bytes as base64');
    },
  );
});
