import * as fc from 'fast-check';
import type { JsonValue } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { changesBetween, textChange } from '../../page/form/changes.ts';
import { valueAt, withValueAt } from '../../page/values/json-path.ts';

// Values of fast-check may contain -0, which JSON does not have.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

describe('changes between two values', () => {
  it('are identified by their paths', () => {
    const before = { order: '17', euros: 40, lines: [{ price: 1 }, { price: 2 }], old: true };
    const after = { order: '17', euros: 35, lines: [{ price: 1 }, { price: 3 }, {}], note: 'x' };

    expect(changesBetween(before, after)).toEqual([
      { path: ['euros'], before: 40, after: 35 },
      { path: ['lines', 1, 'price'], before: 2, after: 3 },
      { path: ['lines', 2], before: undefined, after: {} },
      { path: ['old'], before: true, after: undefined },
      { path: ['note'], before: undefined, after: 'x' },
    ]);
  });

  it('include a list that became an object, and a removed null', () => {
    expect(changesBetween({ a: [] }, { a: {} })).toEqual([{ path: ['a'], before: [], after: {} }]);
    expect(changesBetween({ a: null }, {})).toEqual([
      { path: ['a'], before: null, after: undefined },
    ]);
  });

  it('include members that are called `constructor` or `__proto__`', () => {
    const after: JsonValue = JSON.parse('{"constructor": 1, "__proto__": 2}');

    expect(changesBetween({}, after).map(({ path }) => path)).toEqual([
      ['constructor'],
      ['__proto__'],
    ]);
  });

  it('are empty exactly if the values are equal', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(changesBetween(one, JSON.parse(JSON.stringify(one)))).toEqual([]);
        const areSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(changesBetween(one, other).length === 0).toBe(areSame);
      }),
    );
  });
});

describe('difference between two texts', () => {
  it('spans from the first different character to the last', () => {
    expect(textChange('to Ada, 40 euros', 'to Ada, 35 euros')).toEqual({
      start: 'to Ada, ',
      removed: '40',
      added: '35',
      end: ' euros',
    });
  });

  it('reconstructs both texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const { start, removed, added, end } = textChange(one, other);

        expect(start + removed + end).toBe(one);
        expect(start + added + end).toBe(other);
      }),
    );
  });
});

describe('path in a value', () => {
  it('is read and replaced without changing the original', () => {
    const value = Object.freeze({ a: Object.freeze([1, Object.freeze({ b: 2 })]) });

    const changed = withValueAt(value, ['a', 1, 'b'], 3);

    expect(valueAt(changed, ['a', 1, 'b'])).toBe(3);
    expect(valueAt(value, ['a', 1, 'b'])).toBe(2);
    expect(withValueAt(changed, ['a', 0], undefined)).toEqual({ a: [{ b: 3 }] });
    expect(withValueAt(changed, ['a'], undefined)).toEqual({});
  });

  it('never reaches an inherited member', () => {
    expect(valueAt({}, ['constructor'])).toBeUndefined();

    const changed = withValueAt({}, ['__proto__'], { isAdmin: true });

    expect(Object.keys(changed as object)).toEqual(['__proto__']);
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
  });
});

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([name, one]) => [name, sorted(one)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
