import type { Readable } from 'node:stream';

const last = new WeakMap<Readable, Promise<void>>();

/** Does some work at a terminal when all work before it is over: two questions at once cannot be answered. */
export async function takeTurn<Result>(
  input: Readable,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = last.get(input) ?? Promise.resolve();
  let leave = () => {};
  const over = new Promise<void>((resolve) => {
    leave = resolve;
  });
  last.set(
    input,
    before.then(() => over),
  );
  try {
    await untilAborted(before, signal);
    return await work();
  } finally {
    leave();
  }
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
