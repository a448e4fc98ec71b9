/** The method that `console.log` of Node and Bun calls to print an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** The number of printed levels, enough for the arguments of a call in a list in a result. */
const DEPTH = 10;

/** Prints the instances of a class as the result of `describe`, with the name of the class and all levels. */
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
