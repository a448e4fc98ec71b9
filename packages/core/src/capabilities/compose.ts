/**
 * Puts hooks around something: the first one is the outermost.
 *
 * @example
 * const asked = compose(hooks, call, (hook, value, next) => hook(value, next, ctx), ask)
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
          // A hook need not wait for it; that must not end the process.
          result.catch(() => {});
          return result;
        });
  };
  return from(0, value);
}
