/**
 * Executes a function inside hooks. The first hook is the outermost.
 *
 * @example
 * const response = compose(hooks, call, (hook, value, next) => hook(value, next, ctx), request)
 */
export function compose<Hook, Value, Result>(
  hooks: readonly Hook[],
  value: Value,
  apply: (hook: Hook, value: Value, next: (value: Value) => Promise<Result>) => Promise<Result>,
  innermost: (value: Value) => Promise<Result>,
): Promise<Result> {
  const from = (index: number, given: Value): Promise<Result> => {
    const hook = hooks[index];
    return hook === undefined
      ? innermost(given)
      : apply(hook, given, (passed) => {
          const result = from(index + 1, passed);
          // A hook may ignore the promise. Its rejection must not end the process.
          result.catch(() => {});
          return result;
        });
  };
  return from(0, value);
}
