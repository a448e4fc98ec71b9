/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Goes on with a value, at once if it is there: a step that waits for nothing costs no turn of the
 * promise queue.
 */
export function chain<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
