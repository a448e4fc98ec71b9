import { describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';

const reason = new Error('Enough.');

describe('a cancellation', () => {
  it('cancels its descendants, and neither its parent nor its siblings', () => {
    const run = new Cancellation();
    const batch = new Cancellation(run);
    const [one, other] = [new Cancellation(batch), new Cancellation(batch)];

    one.cancel(reason);
    expect([run, batch, one, other].map((each) => each.cancelled)).toEqual([
      false,
      false,
      true,
      false,
    ]);

    run.cancel(reason);
    expect([run, batch, one, other].every((each) => each.cancelled)).toBe(true);
  });

  it('throws its first reason, or that of its parent', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    expect(() => call.throwIfCancelled()).not.toThrow();

    run.cancel(reason);
    run.cancel(new Error('Another one.'));

    expect(() => run.throwIfCancelled()).toThrow(reason);
    expect(() => call.throwIfCancelled()).toThrow(reason);
  });

  it('can have `undefined` as its reason', () => {
    const run = new Cancellation();
    run.cancel(undefined);
    let thrown = false;

    try {
      run.throwIfCancelled();
    } catch {
      thrown = true;
    }

    expect(thrown).toBe(true);
  });
});

describe('the signal of a cancellation', () => {
  it('is always the same object, and aborts with the reason', () => {
    const run = new Cancellation();
    const { signal } = run;

    run.cancel(reason);

    expect(run.signal).toBe(signal);
    expect(signal).toMatchObject({ aborted: true, reason });
  });

  it('aborts when an ancestor is cancelled', () => {
    const run = new Cancellation();
    const { signal } = new Cancellation(new Cancellation(run));

    run.cancel(reason);

    expect(signal).toMatchObject({ aborted: true, reason });
  });

  it('is aborted from the start if it is read after the cancellation', () => {
    const run = new Cancellation();
    const call = new Cancellation(new Cancellation(run));

    run.cancel(reason);

    expect(run.signal).toMatchObject({ aborted: true, reason });
    expect(call.signal).toMatchObject({ aborted: true, reason });
  });

  it('does not abort after the work was released', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    const { signal } = call;

    call.release();
    run.cancel(reason);

    expect(signal.aborted).toBe(false);
  });
});

describe('listening to a cancellation', () => {
  it('notifies each listener once, with the reason', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    const reasons: unknown[] = [];
    call.onCancel((why) => reasons.push(why));

    run.cancel(reason);
    call.cancel(new Error('Another one.'));

    expect(reasons).toEqual([reason]);
  });

  it('notifies a listener at once if the work is already cancelled', () => {
    const run = new Cancellation();
    run.cancel(reason);
    const reasons: unknown[] = [];

    run.onCancel((why) => reasons.push(why));
    new Cancellation(run).onCancel((why) => reasons.push(why));

    expect(reasons).toEqual([reason, reason]);
  });

  it('ends when the listener is removed', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    const reasons: unknown[] = [];
    const stop = call.onCancel((why) => reasons.push(why));

    stop();
    call.cancel(reason);
    run.cancel(reason);

    expect(reasons).toEqual([]);
  });
});

describe('security L1: a listener that throws', () => {
  it('does not prevent the notification of other listeners', () => {
    const run = new Cancellation();
    const reasons: string[] = [];
    const { signal } = new Cancellation(run);
    run.onCancel(() => reasons.push('first'));
    run.onCancel(() => {
      throw new Error('It fails.');
    });
    new Cancellation(run).onCancel(() => reasons.push('last'));

    run.cancel(reason);

    expect(reasons).toEqual(['first', 'last']);
    expect(signal.aborted).toBe(true);
  });
});

describe('work under a cancellation', () => {
  it('resolves and rejects like the work itself', async () => {
    const run = new Cancellation();

    expect(await run.guard(Promise.resolve(1))).toBe(1);
    await expect(run.guard(Promise.reject(reason))).rejects.toBe(reason);
  });

  it('is not awaited after it is cancelled', async () => {
    const run = new Cancellation();
    const waiting = new Cancellation(run).guard(new Promise(() => {}));

    run.cancel(reason);

    await expect(waiting).rejects.toBe(reason);
    await expect(run.guard(new Promise(() => {}))).rejects.toBe(reason);
  });

  it('causes no unhandled rejection if it fails later', async () => {
    const unhandled: unknown[] = [];
    const record = (why: unknown) => void unhandled.push(why);
    process.on('unhandledRejection', record);
    const run = new Cancellation();
    let fail!: (why: unknown) => void;
    const work = new Promise((_resolve, reject) => {
      fail = reject;
    });
    const waiting = run.guard(work);

    run.cancel(reason);
    await expect(waiting).rejects.toBe(reason);
    fail(new Error('Late.'));
    await new Promise((resolve) => setTimeout(resolve, 5));

    process.off('unhandledRejection', record);
    expect(unhandled).toEqual([]);
  });
});
