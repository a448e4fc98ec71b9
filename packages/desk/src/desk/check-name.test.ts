import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { checkName } from './check-name.ts';

describe('untrusted name', () => {
  it.each(['a', 'ä', '😀', 'a b', "'; drop table", '__proto__', 'x'.repeat(200)])(
    'may be %j',
    (name) => {
      expect(checkName('name', name)).toBe(name);
    },
  );

  it.each(['', 'a\u0000', 'a\nb', '\u007f', '\ud800', 'a\udfff', 'x'.repeat(201)])(
    'may not be %j',
    (name) => {
      expect(() => checkName('name', name)).toThrow(UserError);
    },
  );

  it.each([undefined, null, 1, {}])('may not be %j, even if the types permit it', (name) => {
    expect(() => checkName('name', name as unknown as string)).toThrow(UserError);
  });
});
