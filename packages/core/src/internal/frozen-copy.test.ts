import { describe, expect, it } from 'vitest';
import { frozenCopy } from './json.ts';

describe('frozenCopy', () => {
  it('copies and freezes nested objects and arrays, and does not change the original', () => {
    const original = { path: 'a.txt', tags: ['x', { deep: [1] }], none: null };

    const copy = frozenCopy(original);

    expect(copy).toEqual(original);
    expect(copy.tags).not.toBe(original.tags);
    expect([copy, copy.tags, copy.tags[1]].every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(original) || Object.isFrozen(original.tags)).toBe(false);
  });

  it('preserves cycles and shared values', () => {
    const shared = { value: 1 };
    const original: { self?: unknown; list: unknown[]; one: object; two: object } = {
      list: [],
      one: shared,
      two: shared,
    };
    original.self = original;
    original.list.push(original.list, shared);

    const copy = frozenCopy(original);

    expect(copy).not.toBe(original);
    expect(copy.self).toBe(copy);
    expect(copy.list[0]).toBe(copy.list);
    expect(copy.two).toBe(copy.one);
    expect(copy.list[1]).toBe(copy.one);
  });

  it('copies dates, maps and sets, also at the top and inside each other', () => {
    const date = new Date(0);
    const original = { date, map: new Map([['key', { date }]]), set: new Set([[1]]) };

    const copy = frozenCopy(original);

    expect(copy).toEqual(original);
    expect(copy.date).not.toBe(date);
    expect(copy.map).not.toBe(original.map);
    expect(Object.isFrozen(copy.map.get('key'))).toBe(true);
    expect(Object.isFrozen([...copy.set][0])).toBe(true);
    expect(frozenCopy(date)).not.toBe(date);
  });

  it('preserves a missing prototype and own members named `__proto__`, and turns holes of arrays into undefined', () => {
    const bare: Record<string, unknown> = Object.assign(Object.create(null), { a: { b: 1 } });
    const hostile: unknown = JSON.parse('{ "__proto__": { "admin": true } }');

    expect(Object.getPrototypeOf(frozenCopy(bare))).toBe(null);
    expect(Object.hasOwn(frozenCopy(hostile) as object, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(frozenCopy(hostile))).toBe(Object.prototype);
    // oxlint-disable-next-line no-sparse-arrays
    expect(frozenCopy([1, , 3])).toEqual([1, undefined, 3]);
  });
});
