import { type OutputUnit, Validator } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from 'holdpoint';
import { boundedSchema } from './bounded-schema.ts';

/** The maximum number of schema members that one validation reads. It takes some tenths of a second. */
const MAX_READS = 5_000_000;

/** A read counts more if the value has a long text, because each read may count its characters. */
const TEXT_PER_READ = 10_000;

/** Longer lists are not compared item by item with all others. */
const MAX_UNIQUE_ITEMS = 200;

const DRAFT = '2020-12';

/**
 * Validates values with a JSON Schema in bounded time, without evaluating text and without regular
 * expressions. It throws if the schema or the value needs more work than the limit.
 */
export class BoundedValidator {
  readonly #validator: Validator;
  readonly #validatorOfLongLists: Validator;
  readonly #budget = { left: 0, cost: 1 };

  constructor(schema: JsonObject) {
    this.#budget.left = MAX_READS;
    this.#validator = this.#validatorOf(schema, { uniqueItems: true });
    this.#validatorOfLongLists = this.#validatorOf(schema, { uniqueItems: false });
  }

  /** Returns the errors of a value; none if it is valid. */
  errorsOf(value: JsonValue): readonly OutputUnit[] {
    const { maxTextLength, maxListLength } = sizesOf(value);
    this.#budget.left = MAX_READS;
    this.#budget.cost = 1 + Math.floor(maxTextLength / TEXT_PER_READ);
    const isLong = maxListLength > MAX_UNIQUE_ITEMS;
    return (isLong ? this.#validatorOfLongLists : this.#validator).validate(value).errors;
  }

  #validatorOf(schema: JsonObject, options: { readonly uniqueItems: boolean }): Validator {
    return new Validator(counted(boundedSchema(schema, options), this.#budget), DRAFT, false);
  }
}

interface Budget {
  left: number;
  cost: number;
}

/** Counts the reads of a schema: a small one that refers to itself can cause any amount of work. */
function counted(schema: JsonObject, budget: Budget): JsonObject {
  const known = new WeakMap<object, object>();
  const wrap = <One extends object>(one: One): One => {
    const found = known.get(one);
    // The proxy of an object has its type.
    if (found !== undefined) return found as One;
    const proxy = new Proxy(one, {
      get(target, key) {
        budget.left -= budget.cost;
        if (budget.left < 0) throw new Error('The schema needs too much work.');
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'object' && value !== null ? wrap(value) : value;
      },
    });
    known.set(one, proxy);
    return proxy;
  };
  return wrap(schema);
}

function sizesOf(value: JsonValue): {
  readonly maxTextLength: number;
  readonly maxListLength: number;
} {
  if (typeof value === 'string') return { maxTextLength: value.length, maxListLength: 0 };
  if (typeof value !== 'object' || value === null) return { maxTextLength: 0, maxListLength: 0 };
  let maxTextLength = 0;
  let maxListLength = Array.isArray(value) ? value.length : 0;
  for (const one of Object.values(value)) {
    const sizes = sizesOf(one);
    maxTextLength = Math.max(maxTextLength, sizes.maxTextLength);
    maxListLength = Math.max(maxListLength, sizes.maxListLength);
  }
  return { maxTextLength, maxListLength };
}
