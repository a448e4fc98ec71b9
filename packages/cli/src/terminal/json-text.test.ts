import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArgs, readResult, toJsonText } from './json-text.ts';

describe('toJsonText', () => {
  it('escapes hidden characters', () => {
    expect(toJsonText({ path: 'a\u202Eb\u007F\u{E0041}' })).toBe(
      String.raw`{"path":"a\u202eb\u007f\udb40\udc41"}`,
    );
  });

  it('preserves the value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'binary' })), (value) => {
        const args = { ...value };

        expect(readArgs(toJsonText(args))).toEqual({ ok: true, value: args });
        expect(readArgs(toJsonText(args, 2))).toEqual({ ok: true, value: args });
      }),
    );
  });
});

describe('a typed value', () => {
  it.each(['', '{', '{"a" 1}', '[1]', '"a"', 'null', '7'])(
    'is rejected as arguments: %s',
    (text) => {
      expect(readArgs(text)).toMatchObject({ ok: false });
    },
  );

  it.each([
    ['{"euros": 20, "euros": 45000}', 'occurs twice'],
    ['{"account": 9007199254740993}', 'cannot be represented exactly'],
    ['{"euros": 1e400}', 'too large'],
  ])('is rejected if its value would be another one: %s', (text, problem) => {
    const rejected = { ok: false, problem: expect.stringContaining(problem) };
    expect(readArgs(text)).toMatchObject(rejected);
    expect(readResult(text)).toMatchObject(rejected);
  });

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['42', 42],
    ['{"a": [1]}', { a: [1] }],
    ['"42"', '42'],
    ['Grace, of course.', 'Grace, of course.'],
    ['', ''],
  ])('is accepted as a result: %s', (text, value) => {
    expect(readResult(text)).toEqual({ ok: true, value });
  });

  it.each(['{"a": 1', '[1,', '"Grace'])(
    'is rejected as a result if it begins like JSON: %s',
    (text) => {
      expect(readResult(text)).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/not JSON/),
      });
    },
  );
});
