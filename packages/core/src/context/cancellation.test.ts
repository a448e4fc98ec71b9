import { describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';

const reason = new Error('Enough.');

describe('a cancellation', () => {
  it('holds for everything below it, and for nothing above or beside it', () => {
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

  it('throws its first reason, or that from above', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    expect(() => call.throwIfCancelled()).not.toThrow();

    run.cancel(reason);
    run.cancel(new Error('Another one.'));

    expect(() => run.throwIfCancelled()).toThrow(reason);
    expect(() => call.throwIfCancelled()).toThrow(reason);
  });

  it('can have a reason that is nothing', () => {
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
  it('is one, and aborts with the reason', () => {
    const run = new Cancellation();
    const { signal } = run;

    run.cancel(reason);

    expect(run.signal).toBe(signal);
    expect(signal).toMatchObject({ aborted: true, reason });
  });

  it('aborts when something above is cancelled', () => {
    const run = new Cancellation();
    const { signal } = new Cancellation(new Cancellation(run));

    run.cancel(reason);

    expect(signal).toMatchObject({ aborted: true, reason });
  });

  it('is aborted from the start when it is asked for too late', () => {
    const run = new Cancellation();
    const call = new Cancellation(new Cancellation(run));

    run.cancel(reason);

    expect(run.signal).toMatchObject({ aborted: true, reason });
    expect(call.signal).toMatchObject({ aborted: true, reason });
  });

  it('does not abort any more once the work was released', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    const { signal } = call;

    call.release();
    run.cancel(reason);

    expect(signal.aborted).toBe(false);
  });
});

describe('listening to a cancellation', () => {
  it('tells of it once, with the reason', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    const heard: unknown[] = [];
    call.onCancel((why) => heard.push(why));

    run.cancel(reason);
    call.cancel(new Error('Another one.'));

    expect(heard).toEqual([reason]);
  });

  it('tells at once when it is too late to wait', () => {
    const run = new Cancellation();
    run.cancel(reason);
    const heard: unknown[] = [];

    run.onCancel((why) => heard.push(why));
    new Cancellation(run).onCancel((why) => heard.push(why));

    expect(heard).toEqual([reason, reason]);
  });

  it('can be stopped', () => {
    const run = new Cancellation();
    const call = new Cancellation(run);
    const heard: unknown[] = [];
    const stop = call.onCancel((why) => heard.push(why));

    stop();
    call.cancel(reason);
    run.cancel(reason);

    expect(heard).toEqual([]);
  });
});

describe('security L1: a listener that throws', () => {
  it('does not keep the others from being notified', () => {
    const run = new Cancellation();
    const heard: string[] = [];
    const { signal } = new Cancellation(run);
    run.onCancel(() => heard.push('first'));
    run.onCancel(() => {
      throw new Error('It fails.');
    });
    new Cancellation(run).onCancel(() => heard.push('last'));

    run.cancel(reason);

    expect(heard).toEqual(['first', 'last']);
    expect(signal.aborted).toBe(true);
  });
});

describe('work under a cancellation', () => {
  it('ends as it ends', async () => {
    const run = new Cancellation();

    expect(await run.guard(Promise.resolve(1))).toBe(1);
    await expect(run.guard(Promise.reject(reason))).rejects.toBe(reason);
  });

  it('is not waited for any longer once it is cancelled', async () => {
    const run = new Cancellation();
    const waiting = new Cancellation(run).guard(new Promise(() => {}));

    run.cancel(reason);

    await expect(waiting).rejects.toBe(reason);
    await expect(run.guard(new Promise(() => {}))).rejects.toBe(reason);
  });

  it('may fail later without anybody noticing', async () => {
    const unhandled: unknown[] = [];
    const note = (why: unknown) => void unhandled.push(why);
    process.on('unhandledRejection', note);
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

    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
