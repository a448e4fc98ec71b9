import {
  hasOwn,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  defineOwn,
} from '../../internal/json.ts';
import type { Read } from './read.ts';
import type { Trail } from './trail.ts';

/** Reads JSON of any shape, given how what is neither a list nor an object is read. */
export class JsonReader {
  readonly #readLeaf: Read<JsonValue>;

  constructor(leaf: Read<JsonValue>) {
    this.#readLeaf = leaf;
  }

  /** Reads any JSON as it is. */
  readonly value: Read<JsonValue> = (value, trail) => this.#read(value, trail, 0);

  /** Reads any JSON object as it is. */
  readonly object: Read<JsonObject> = (value, trail) =>
    trail.isObject(value) ? this.#readObject(value, trail, 0) : trail.mismatch('an object', value);

  #read(value: unknown, trail: Trail, depth: number): JsonValue {
    if (Array.isArray(value)) return this.#readArray(value, trail, depth);
    if (trail.isObject(value)) return this.#readObject(value, trail, depth);
    return this.#readLeaf(value, trail);
  }

  #readArray(value: unknown[], trail: Trail, depth: number): JsonValue {
    if (depth >= MAX_DEPTH) failAtTop(trail, depth);
    const items: unknown[] = trail.copies ? [] : value;
    for (let index = 0; index < value.length; index++) {
      trail.enter(index);
      const item = this.#read(value[index], trail, depth + 1);
      if (trail.copies) items.push(item);
      trail.leave();
    }
    // All of them were read.
    return trail.take(items as JsonValue[]);
  }

  #readObject(value: Record<string, unknown>, trail: Trail, depth: number): JsonObject {
    if (depth >= MAX_DEPTH) failAtTop(trail, depth);
    const members: Record<string, unknown> = trail.copies ? {} : value;
    for (const key in value) {
      const member = value[key];
      if (member === undefined || (trail.mayInherit && !hasOwn.call(value, key))) continue;
      trail.enter(key);
      const read = this.#read(member, trail, depth + 1);
      if (trail.copies) defineOwn(members, key, read);
      trail.leave();
    }
    // All of them were read.
    return trail.take(members as Record<string, JsonValue>);
  }
}

/** Reads what is neither a list nor an object. */
export function readLeaf(value: unknown, trail: Trail): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'number') return trail.mismatch('a JSON value', value);
  // Also text can hold these: `1e999` parses to Infinity.
  return Number.isFinite(value) ? value : trail.mismatch('a finite number', value);
}

const reader = new JsonReader(readLeaf);

/** Reads any JSON as it is. */
export const readJson: Read<JsonValue> = reader.value;

/** Reads any JSON object as it is. */
export const readJsonObject: Read<JsonObject> = reader.object;

/** The place that helps is where the deep value starts, not its two-hundredth level. */
function failAtTop(trail: Trail, depth: number): never {
  trail.leave(depth);
  return trail.fail(
    `Expected at most ${MAX_DEPTH} levels of nesting, found more, or a value that contains itself.`,
  );
}
