import * as fc from 'fast-check';
import type { JsonValue } from '../../src/internal/json.ts';
import { arbitraryJson } from './arbitrary-messages.ts';

/** A change of a document. `at` selects one of its members and items. */
interface Mutation {
  readonly at: number;
  readonly action: 'replace' | 'remove' | 'rename' | 'wrap' | 'add';
  readonly name: string;
  readonly value: unknown;
}

type Container = unknown[] | Record<string, unknown>;

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  action: fc.constantFrom('replace', 'remove', 'rename', 'wrap', 'add'),
  name: fc.constantFrom('__proto__', 'constructor', 'kind', 'parts', 'content', 'metadata', 'new'),
  value: fc.oneof(
    arbitraryJson,
    fc.constantFrom(undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, Symbol.iterator),
    fc.constantFrom('text', 'tool-call', 'request', 'response', 'tool-return', 'cache-point'),
  ),
});

/** Copies of `document` with one to three changes. */
export function arbitrarilyMutated(document: JsonValue | object): fc.Arbitrary<unknown> {
  return fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations) => {
    const root = { document: structuredClone(document) };
    for (const each of mutations) mutate(root, each);
    return root.document;
  });
}

function mutate(root: Container, { at, action, name, value }: Mutation): void {
  const places = placesIn(root);
  const position = places[at % places.length];
  if (position === undefined) return;
  const [container, key] = position;
  const found = Reflect.get(container, key);
  if (action === 'replace') set(container, key, value);
  if (action === 'wrap') set(container, key, [found]);
  if (action === 'add') set(found, name, value);
  if (action === 'remove' || action === 'rename') Reflect.deleteProperty(container, key);
  if (action === 'rename') set(container, name, found);
}

function placesIn(container: object): [container: object, key: string][] {
  return Object.keys(container).flatMap((key) => {
    const member: unknown = Reflect.get(container, key);
    const inside = typeof member === 'object' && member !== null ? placesIn(member) : [];
    return [[container, key] as [object, string], ...inside];
  });
}

function set(target: unknown, key: string, value: unknown): void {
  if (typeof target !== 'object' || target === null) return;
  Reflect.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
