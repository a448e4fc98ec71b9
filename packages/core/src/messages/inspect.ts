/** The method that `console.log` of Node and Bun calls to print an object. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** The `inspect` of the runtime, which it passes to that method. */
export type Inspect = (value: unknown, options: object) => string;

/** Levels that are printed: deep enough for the arguments of a call inside a list inside a result. */
const DEPTH = 10;

/** Prints `shown` in place of an object, under the name of its class and with all of its levels. */
export function printAs(owner: object, shown: object, options: object, inspect: Inspect): string {
  return `${owner.constructor.name} ${inspect(shown, { ...options, depth: DEPTH })}`;
}
