import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryJson } from '../../test/support/arbitrary-messages.ts';
import { InvalidJsonError } from '../errors/user-errors.ts';
import { isPlainObject, type JsonValue, MAX_DEPTH, toFrozenJson } from './json.ts';
import { canonicalJson } from './canonical-json.ts';

/** Returns a value with this many nested lists. */
function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** Returns the same value with the members of all objects in reverse order. */
function turned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(turned);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, member]) => [key, turned(member as JsonValue)]));
}

describe('canonical JSON', () => {
  it.each<[unknown, string]>([
    [null, 'null'],
    [true, 'true'],
    ['a"\\\n\u0000é😀\u2028', `"a\\"\\\\\\n\\u0000é😀\u2028"`],
    ['\ud83d', '"\\ud83d"'],
    [-0, '0'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [0.1 + 0.2, '0.30000000000000004'],
    [2 ** 53, '9007199254740992'],
    [[], '[]'],
    [{}, '{}'],
    [[1, [2, {}]], '[1,[2,{}]]'],
    [{ b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    [JSON.parse('{"__proto__":{"b":1},"a":2}'), '{"__proto__":{"b":1},"a":2}'],
  ])('of %o is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('orders members by the code units of their names', () => {
    // The names of the example in RFC 8785, 3.2.3: an emoji precedes names with a higher code unit.
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const value = Object.fromEntries(names.map((name) => [name, name]));

    expect(Object.values(JSON.parse(canonicalJson(value)))).toEqual([
      '1',
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ]);
    expect(canonicalJson({ '10': 0, '9': 0 })).toBe('{"10":0,"9":0}');
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'args: undefined is not JSON.'],
    ['a member that is undefined', { a: undefined }, 'args.a: undefined is not JSON.'],
    ['a hole in a list', Object.assign([], { length: 1 }), 'args[0]: undefined is not JSON.'],
    ['a function', [{ f: () => {} }], 'args[0].f: a function is not JSON.'],
    ['a big integer', 1n, 'args: a bigint is not JSON.'],
    ['not a number', { a: [Number.NaN] }, 'args.a[0]: NaN is not a number in JSON.'],
    ['infinity', -Infinity, 'args: -Infinity is not a number in JSON.'],
    ['a date', new Date(0), 'args: only plain objects and arrays are JSON.'],
    ['a map', { m: new Map() }, 'args.m: only plain objects and arrays are JSON.'],
  ])('rejects %s', (_, value, message) => {
    expect(() => canonicalJson(value, 'args')).toThrow(InvalidJsonError);
    expect(() => canonicalJson(value, 'args')).toThrow(message);
  });

  it('accepts values up to the maximum depth of messages', () => {
    expect(toFrozenJson(nested(MAX_DEPTH), 'value')).toBeDefined();
    expect(canonicalJson(nested(MAX_DEPTH))).toHaveLength(2 * MAX_DEPTH + 1);
    expect(() => canonicalJson(nested(MAX_DEPTH + 1))).toThrow('more than 200 levels');
    expect(() => canonicalJson(nested(100_000))).toThrow(InvalidJsonError);
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => canonicalJson(cycle)).toThrow(InvalidJsonError);
  });
});

describe('any canonical JSON', () => {
  it('parses to the value that it was created from', () => {
    fc.assert(
      fc.property(arbitraryJson, (value) => {
        expect(JSON.stringify(turned(JSON.parse(canonicalJson(value))))).toBe(
          JSON.stringify(turned(JSON.parse(canonicalJson(turned(value))))),
        );
        expect(toFrozenJson(JSON.parse(canonicalJson(value)), '')).toEqual(toFrozenJson(value, ''));
      }),
      { numRuns: 1000 },
    );
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(arbitraryJson, (value) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
      }),
      { numRuns: 1000 },
    );
  });

  it('is equal exactly for equal values', () => {
    // Small values, so that many of them are the same.
    const leaf = fc.constantFrom<JsonValue>(null, 0, 1, '', '0', 'null', '[', ',', '"', true);
    const name = fc.constantFrom('a', 'b', '__proto__', '');
    const small = fc.letrec<{ json: JsonValue }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 2 },
        leaf,
        fc.array(tie('json'), { maxLength: 2 }),
        fc
          .array(fc.tuple(name, tie('json')), { maxLength: 2 })
          .map((entries) => Object.fromEntries(entries) as JsonValue),
      ),
    })).json;
    const seen = { same: 0, different: 0 };
    fc.assert(
      fc.property(small, small, (left, right) => {
        const same = areSame(left, right);
        seen[same ? 'same' : 'different']++;
        expect(canonicalJson(left) === canonicalJson(right)).toBe(same);
      }),
      { numRuns: 5000 },
    );
    expect(seen.same).toBeGreaterThan(100);
    expect(seen.different).toBeGreaterThan(100);
  });
});

/** Returns true if two values are equal as JSON, without serialising them. */
function areSame(left: JsonValue, right: JsonValue): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  if (left === null || right === null) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  const member = (of: object, key: string) => (of as Record<string, JsonValue>)[key]!;
  return names.every(
    (key) => Object.hasOwn(right, key) && areSame(member(left, key), member(right, key)),
  );
}
