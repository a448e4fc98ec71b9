import { describe, expect, it } from 'vitest';
import { type AsyncContext, createAsyncContext, ExclusiveContext } from './async-context.ts';

const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

const scopes: [string, () => AsyncContext<string>][] = [
  ['with AsyncLocalStorage', () => createAsyncContext<string>('test')],
  ['without AsyncLocalStorage', () => new ExclusiveContext<string>('test')],
];

describe.each(scopes)('a scope %s', (_, makeScope) => {
  it('has its value during the work, and not after it', async () => {
    const scope = makeScope();

    const seen = await scope.run('inside', async () => {
      const first = scope.get();
      await aWhile();
      return [first, scope.get()];
    });

    expect(seen).toEqual(['inside', 'inside']);
    expect(scope.get()).toBeUndefined();
  });

  it('removes its value when the work fails', async () => {
    const scope = makeScope();
    const failing = scope.run('inside', () => Promise.reject(new Error('No.')));

    await expect(failing).rejects.toThrow('No.');
    expect(scope.get()).toBeUndefined();
  });

  it('can be opened repeatedly', async () => {
    const scope = makeScope();

    expect(await scope.run('one', async () => scope.get())).toBe('one');
    expect(await scope.run('two', async () => scope.get())).toBe('two');
  });

  it('allows one run after the other inside', async () => {
    const scope = makeScope();

    await scope.run('inside', async () => {
      scope.enter()?.();
      scope.enter()?.();
    });

    expect(scope.get()).toBeUndefined();
  });
});

describe('a scope without AsyncLocalStorage', () => {
  const overlapError = /test cannot overlap.*no AsyncLocalStorage/;

  it('allows runs to overlap while it is not open', () => {
    const scope = new ExclusiveContext<string>('test');
    const [leaveFirst, leaveSecond] = [scope.enter(), scope.enter()];

    expect(() => scope.enter()).not.toThrow();
    leaveFirst();
    leaveSecond();
  });

  it('does not open during a run', async () => {
    const scope = new ExclusiveContext<string>('test');
    const leave = scope.enter();

    await expect(scope.run('inside', async () => 1)).rejects.toThrow(overlapError);
    leave();
    expect(await scope.run('inside', async () => 1)).toBe(1);
  });

  it('does not open twice at the same time', async () => {
    const scope = new ExclusiveContext<string>('test');
    const first = scope.run('one', aWhile);

    await expect(scope.run('two', aWhile)).rejects.toThrow(overlapError);
    await first;
    expect(await scope.run('two', async () => scope.get())).toBe('two');
  });

  it('allows only one run at a time inside', async () => {
    const scope = new ExclusiveContext<string>('test');

    await scope.run('inside', async () => {
      const leave = scope.enter();
      expect(() => scope.enter()).toThrow(overlapError);
      leave?.();
      expect(() => scope.enter()).not.toThrow();
    });
  });

  it('records the end of a run once, however often it is reported', async () => {
    const scope = new ExclusiveContext<string>('test');
    const leaveFirst = scope.enter();
    const leaveSecond = scope.enter();

    leaveFirst();
    leaveFirst();

    await expect(scope.run('inside', async () => 1)).rejects.toThrow(overlapError);
    leaveSecond();
  });
});
