import type { Observed } from './compare-scenario.ts';

/** A copy of a vector's expectations with one error. */
export interface Corruption {
  /** The path of the corruption, and its kind. */
  readonly path: string;
  readonly corrupted: Observed;
}

/**
 * Yields every corruption of a vector in one place: a changed value, a removed field or item, an
 * added item.
 */
export function* corruptions(expected: Observed): Iterable<Corruption> {
  for (const { path, value } of corruptedValues(expected, '')) {
    yield { path, corrupted: value as Observed };
  }
}

interface CorruptedValue {
  readonly path: string;
  readonly value: unknown;
}

function* corruptedValues(value: unknown, path: string): Iterable<CorruptedValue> {
  if (Array.isArray(value)) yield* corruptedLists(value, path);
  else if (typeof value === 'object' && value !== null) yield* corruptedRecords(value, path);
  else yield { path: `${path} changed`, value: changeValue(value) };
}

function* corruptedLists(list: readonly unknown[], path: string): Iterable<CorruptedValue> {
  for (const [index, item] of list.entries()) {
    for (const one of corruptedValues(item, `${path}[${index}]`)) {
      yield { path: one.path, value: list.with(index, one.value) };
    }
  }
  if (list.length > 0) yield { path: `${path} shortened`, value: list.slice(0, -1) };
  yield { path: `${path} extended`, value: [...list, 'corrupted'] };
}

function* corruptedRecords(record: object, path: string): Iterable<CorruptedValue> {
  for (const [key, member] of Object.entries(record)) {
    for (const one of corruptedValues(member, `${path}.${key}`)) {
      yield { path: one.path, value: { ...record, [key]: one.value } };
    }
    const rest = Object.entries(record).filter(([name]) => name !== key);
    yield { path: `${path}.${key} removed`, value: Object.fromEntries(rest) };
  }
}

function changeValue(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return 'corrupted';
}
