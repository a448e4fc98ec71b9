/**
 * A value whose plain objects and arrays are deeply frozen, such as the validated arguments of a
 * tool call.
 *
 * Primitives (branded ones too), functions, dates and other objects with methods keep their types.
 * To change arguments, copy them first: `[...items].sort()`, `items.toSorted()`,
 * `structuredClone(args)`.
 */
export type DeepReadonly<Value> = unknown extends Value ? Value : ReadonlyParts<Value>;

/** The recursive part of {@link DeepReadonly}. */
export type ReadonlyParts<Value> = Value extends Primitive
  ? Value
  : Value extends readonly (infer Item)[]
    ? ReadonlyList<Value, Item>
    : Value extends Map<infer Key, infer Item>
      ? Map<DeepReadonly<Key>, DeepReadonly<Item>>
      : Value extends Set<infer Item>
        ? Set<DeepReadonly<Item>>
        : IsData<Value> extends true
          ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
          : Value;

/** Arrays apart from tuples: a mapped type would not end for an array that contains its own type. */
export type ReadonlyList<List, Item> =
  readonly Item[] extends Readonly<List>
    ? readonly DeepReadonly<Item>[]
    : { readonly [Key in keyof List]: DeepReadonly<List[Key]> };

/** A value that has no parts to freeze. */
export type Primitive =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | AnyFunction;

/** A function with any signature. */
export type AnyFunction = (...args: never) => unknown;

/** True for data, false for instances of classes. Data has members, and none of them is a function. */
export type IsData<Value> = [keyof Value] extends [never]
  ? false
  : [Extract<Value[keyof Value], AnyFunction>] extends [never]
    ? true
    : false;
