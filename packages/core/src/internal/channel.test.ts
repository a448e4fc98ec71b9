import { describe, expect, it } from 'vitest';
import { Channel } from './channel.ts';

/** Returns true if a promise has settled. */
async function settled(promise: Promise<unknown> | undefined): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  const open = Symbol('open');
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}

describe('a channel', () => {
  it('passes values in order, in any sequence of puts and takes', async () => {
    const channel = new Channel<number>();

    const early = channel.take();
    void channel.put(1);
    void channel.put(2);
    void channel.put(3);

    expect(await early).toEqual({ value: 1, done: false });
    expect(await channel.take()).toEqual({ value: 2, done: false });
    expect(await channel.take()).toEqual({ value: 3, done: false });
  });

  it('makes the producer wait until the consumer requests the next value', async () => {
    const channel = new Channel<number>();
    const first = channel.take();

    const waiting = channel.put(1);
    await first;

    expect(await settled(waiting)).toBe(false);
    void channel.take();
    expect(await settled(waiting)).toBe(true);
  });

  it('makes all producers wait until all values are taken', async () => {
    const channel = new Channel<number>();
    const waiting = Promise.all([channel.put(1), channel.put(2)]);

    await channel.take();
    await channel.take();
    expect(await settled(waiting)).toBe(false);

    void channel.take();
    expect(await settled(waiting)).toBe(true);
  });

  it('passes the remaining values before it ends', async () => {
    const channel = new Channel<number>();
    void channel.put(1);

    channel.end();

    expect(await channel.take()).toEqual({ value: 1, done: false });
    expect(await channel.take()).toEqual({ value: undefined, done: true });
    expect(await channel.take()).toEqual({ value: undefined, done: true });
  });

  it('passes the remaining values before it fails, and then always fails', async () => {
    const error = new Error('Broken.');
    const channel = new Channel<number>();
    void channel.put(1);

    channel.end({ error });

    expect(await channel.take()).toEqual({ value: 1, done: false });
    await expect(channel.take()).rejects.toBe(error);
    await expect(channel.take()).rejects.toBe(error);
  });

  it('fails even if the error is `undefined`', async () => {
    const channel = new Channel<number>();

    channel.end({ error: undefined });

    await expect(channel.take()).rejects.toBeUndefined();
  });

  it('resolves the pending promises of consumer and producer when it ends', async () => {
    const [ended, failed] = [new Channel<number>(), new Channel<number>()];
    const [end, failure] = [ended.take(), failed.take()];
    const waiting = new Channel<number>();
    const put = waiting.put(1);

    ended.end();
    failed.end({ error: 'Broken.' });
    waiting.end();

    expect(await end).toEqual({ value: undefined, done: true });
    await expect(failure).rejects.toBe('Broken.');
    expect(await settled(put)).toBe(true);
  });

  it('accepts no values after it has ended, and ends once', async () => {
    const channel = new Channel<number>();
    channel.end();

    expect(channel.put(1)).toBeUndefined();
    channel.end({ error: new Error('Too late.') });

    expect(await channel.take()).toEqual({ value: undefined, done: true });
  });
});
