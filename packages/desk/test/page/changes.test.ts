import * as fc from 'fast-check';
import type { JsonValue } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { changesBetween, textChange } from '../../page/form/changes.ts';
import { valueAt, withValueAt } from '../../page/values/json-path.ts';

// What fast-check calls JSON may have -0, which JSON does not have.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

describe('changes between two values', () => {
  it('are named by where they are', () => {
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

  it('are found between a list and an object, and between nothing and null', () => {
    expect(changesBetween({ a: [] }, { a: {} })).toEqual([{ path: ['a'], before: [], after: {} }]);
    expect(changesBetween({ a: null }, {})).toEqual([
      { path: ['a'], before: null, after: undefined },
    ]);
  });

  it('take no notice of names that objects have by themselves', () => {
    const after: JsonValue = JSON.parse('{"constructor": 1, "__proto__": 2}');

    expect(changesBetween({}, after).map(({ path }) => path)).toEqual([
      ['constructor'],
      ['__proto__'],
    ]);
  });

  it('are none exactly if the values are the same', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(changesBetween(one, JSON.parse(JSON.stringify(one)))).toEqual([]);
        const areSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(changesBetween(one, other).length === 0).toBe(areSame);
      }),
    );
  });
});

describe('the change of a text', () => {
  it('goes from the first difference to the last', () => {
    expect(textChange('to Ada, 40 euros', 'to Ada, 35 euros')).toEqual({
      start: 'to Ada, ',
      removed: '40',
      added: '35',
      end: ' euros',
    });
  });

  it('puts both texts together again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const { start, removed, added, end } = textChange(one, other);

        expect(start + removed + end).toBe(one);
        expect(start + added + end).toBe(other);
      }),
    );
  });
});

describe('a place in a value', () => {
  it('can be read and changed without changing what was there', () => {
    const value = Object.freeze({ a: Object.freeze([1, Object.freeze({ b: 2 })]) });

    const changed = withValueAt(value, ['a', 1, 'b'], 3);

    expect(valueAt(changed, ['a', 1, 'b'])).toBe(3);
    expect(valueAt(value, ['a', 1, 'b'])).toBe(2);
    expect(withValueAt(changed, ['a', 0], undefined)).toEqual({ a: [{ b: 3 }] });
    expect(withValueAt(changed, ['a'], undefined)).toEqual({});
  });

  it('is never one that objects have by themselves', () => {
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
