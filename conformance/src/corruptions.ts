import type { Observed } from './judge.ts';

/** A copy of what a vector expects in which one thing is wrong. */
export interface Corruption {
  /** The path of the corruption, and its kind. */
  readonly path: string;
  readonly corrupted: Observed;
}

/** Every way to spoil a vector in one place: a value changed, a field or an item removed, an item added. */
export function* corruptions(expected: Observed): Iterable<Corruption> {
  for (const { path, value } of spoiled(expected, '')) {
    yield { path, corrupted: value as Observed };
  }
}

interface Spoiled {
  readonly path: string;
  readonly value: unknown;
}

function* spoiled(value: unknown, path: string): Iterable<Spoiled> {
  if (Array.isArray(value)) yield* spoiledList(value, path);
  else if (typeof value === 'object' && value !== null) yield* spoiledRecord(value, path);
  else yield { path: `${path} changed`, value: otherThan(value) };
}

function* spoiledList(list: readonly unknown[], path: string): Iterable<Spoiled> {
  for (const [index, item] of list.entries()) {
    for (const one of spoiled(item, `${path}[${index}]`)) {
      yield { path: one.path, value: list.with(index, one.value) };
    }
  }
  if (list.length > 0) yield { path: `${path} shortened`, value: list.slice(0, -1) };
  yield { path: `${path} extended`, value: [...list, 'corrupted'] };
}

function* spoiledRecord(record: object, path: string): Iterable<Spoiled> {
  for (const [key, member] of Object.entries(record)) {
    for (const one of spoiled(member, `${path}.${key}`)) {
      yield { path: one.path, value: { ...record, [key]: one.value } };
    }
    const rest = Object.entries(record).filter(([name]) => name !== key);
    yield { path: `${path}.${key} removed`, value: Object.fromEntries(rest) };
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return 'corrupted';
}
