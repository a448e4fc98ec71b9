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

/**
 * Goes on when a promise is kept, with what `next` needs besides: for whoever most often need not wait.
 *
 * A function that closes over it would be made there, with what it closes over, also where nothing has
 * to be waited for: 100 bytes each time.
 */
export function later<T, U, More extends readonly unknown[]>(
  value: Promise<T>,
  next: (value: T, ...more: More) => MaybePromise<U>,
  ...more: More
): Promise<U> {
  return value.then((given) => next(given, ...more));
}

/** Does something with each item, one after the other; at once, as long as there is nothing to wait for. */
export function eachInTurn<Item>(
  items: readonly Item[],
  act: (item: Item) => MaybePromise<unknown>,
): MaybePromise<unknown> {
  // Not `for … of`, which makes an object for each item until it is compiled; there is an item at each index.
  for (let index = 0; index < items.length; index++) {
    const acting = act(items[index]!);
    if (!(acting instanceof Promise)) continue;
    const done = index + 1;
    return done === items.length ? acting : actOnRest(items, act, acting, done);
  }
  return undefined;
}

async function actOnRest<Item>(
  items: readonly Item[],
  act: (item: Item) => MaybePromise<unknown>,
  acting: Promise<unknown>,
  from: number,
): Promise<void> {
  await acting;
  for (const item of items.slice(from)) await act(item);
}
