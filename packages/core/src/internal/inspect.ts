/** The method that `console.log` of Node and Bun calls to print an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Levels that are printed: deep enough for the arguments of a call inside a list inside a result. */
const DEPTH = 10;

/** Has the instances of a class printed as what `describe` returns, under their name and with all levels. */
export function printAs<Instance extends object>(
  prototype: Instance,
  describe: (instance: Instance) => object,
): void {
  Object.defineProperty(prototype, INSPECT, {
    value(
      this: Instance,
      _depth: number,
      options: object,
      inspect: (value: unknown, options: object) => string,
    ): string {
      const printed = inspect(describe(this), { ...options, depth: DEPTH });
      return `${this.constructor.name} ${printed}`;
    },
  });
}
