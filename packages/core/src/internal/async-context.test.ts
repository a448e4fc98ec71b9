import { describe, expect, it } from 'vitest';
import { type AsyncContext, createAsyncContext, ExclusiveContext } from './async-context.ts';

const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

const contexts: [string, () => AsyncContext<string>][] = [
  ['with AsyncLocalStorage', () => createAsyncContext<string>('test')],
  ['without AsyncLocalStorage', () => new ExclusiveContext<string>('test')],
];

describe.each(contexts)('a context %s', (_, createContext) => {
  it('has its value during the work, and not after it', async () => {
    const context = createContext();

    const seen = await context.run('inside', async () => {
      const first = context.get();
      await aWhile();
      return [first, context.get()];
    });

    expect(seen).toEqual(['inside', 'inside']);
    expect(context.get()).toBeUndefined();
  });

  it('removes its value when the work fails', async () => {
    const context = createContext();
    const failing = context.run('inside', () => Promise.reject(new Error('No.')));

    await expect(failing).rejects.toThrow('No.');
    expect(context.get()).toBeUndefined();
  });

  it('can be opened repeatedly', async () => {
    const context = createContext();

    expect(await context.run('one', async () => context.get())).toBe('one');
    expect(await context.run('two', async () => context.get())).toBe('two');
  });

  it('allows one run after the other inside', async () => {
    const context = createContext();

    await context.run('inside', async () => {
      context.enter()?.();
      context.enter()?.();
    });

    expect(context.get()).toBeUndefined();
  });
});

describe('a context without AsyncLocalStorage', () => {
  const overlapError = /test cannot overlap.*no AsyncLocalStorage/;

  it('allows runs to overlap while it is not open', () => {
    const context = new ExclusiveContext<string>('test');
    const [leaveFirst, leaveSecond] = [context.enter(), context.enter()];

    expect(() => context.enter()).not.toThrow();
    leaveFirst();
    leaveSecond();
  });

  it('does not open during a run', async () => {
    const context = new ExclusiveContext<string>('test');
    const leave = context.enter();

    await expect(context.run('inside', async () => 1)).rejects.toThrow(overlapError);
    leave();
    expect(await context.run('inside', async () => 1)).toBe(1);
  });

  it('does not open twice at the same time', async () => {
    const context = new ExclusiveContext<string>('test');
    const first = context.run('one', aWhile);

    await expect(context.run('two', aWhile)).rejects.toThrow(overlapError);
    await first;
    expect(await context.run('two', async () => context.get())).toBe('two');
  });

  it('allows only one run at a time inside', async () => {
    const context = new ExclusiveContext<string>('test');

    await context.run('inside', async () => {
      const leave = context.enter();
      expect(() => context.enter()).toThrow(overlapError);
      leave?.();
      expect(() => context.enter()).not.toThrow();
    });
  });

  it('records the end of a run once, however often it is reported', async () => {
    const context = new ExclusiveContext<string>('test');
    const leaveFirst = context.enter();
    const leaveSecond = context.enter();

    leaveFirst();
    leaveFirst();

    await expect(context.run('inside', async () => 1)).rejects.toThrow(overlapError);
    leaveSecond();
  });
});
