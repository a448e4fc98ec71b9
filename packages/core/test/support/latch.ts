import { setTimeout as sleep } from 'node:timers/promises';

/** A promise that a test resolves: `opened` resolves when `open` is called. */
export interface Latch<T = void> {
  readonly opened: Promise<T>;
  open(value: T): void;
}

/** Creates a closed latch. */
export function latch<T = void>(): Latch<T> {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A promise that never settles, like that of a tool that hangs. */
export function never(): Promise<never> {
  return new Promise(() => {});
}

/** Returns the rejection of `work`; fails if it fulfils or takes longer than a second. */
export async function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  const controller = new AbortController();
  const tooLong = sleep(1000, undefined, { signal: controller.signal }).then(
    () => ({ problem: 'The work has not ended after a second.' }),
    () => ({ problem: '' }),
  );
  const rejection = work.then(
    () => ({ problem: 'It did not reject.' }),
    (reason: unknown) => ({ reason }),
  );
  const first = await Promise.race([rejection, tooLong]);
  controller.abort();
  if ('problem' in first) throw new Error(first.problem);
  return first.reason;
}

/** Waits until all pending work has settled. */
export async function settled(): Promise<void> {
  await sleep(5);
}

/** Waits for the end of a run, and ignores its error. */
export async function drain(steps: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of steps);
}
