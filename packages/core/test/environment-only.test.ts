import { describe, expect, it } from 'vitest';
import { findEnvironmentUses } from './support/environment-only.ts';
import { readSourceFiles } from './support/source-files.ts';

describe('time, chance and concurrency', () => {
  it('come from the environment of the run, everywhere in the core', () => {
    const files = readSourceFiles();

    expect(files.length).toBeGreaterThan(0);
    expect(findEnvironmentUses(files)).toEqual([]);
  });
});

describe('the environment check', () => {
  const check = (text: string, path = 'tools/tool.ts') => findEnvironmentUses([{ path, text }]);

  it.each([
    ['Date.now', 'const at = Date.now();'],
    ['Date.now', 'const clock = Date.now;'],
    ['Date.now', 'const { now } = Date;'],
    ['new Date()', 'const at = new Date();'],
    ['Math.random', 'const n = Math.random();'],
    ['crypto.randomUUID', 'const id = crypto.randomUUID();'],
    ['crypto.randomUUID', 'const id = globalThis.crypto.randomUUID();'],
    ['crypto.getRandomValues', 'crypto.getRandomValues(bytes);'],
    ['performance.now', 'const at = performance.now();'],
    ['Promise.all', 'await Promise.all(tasks);'],
    ['Promise.all', 'await Promise\n  .all(tasks);'],
    ['Promise.all', "await Promise['all'](tasks);"],
    ['Promise.allSettled', 'await Promise.allSettled(tasks);'],
    ['Promise.race', 'await Promise.race(tasks);'],
    ['Promise.any', 'await Promise.any(tasks);'],
    ['AbortSignal.timeout', 'const signal = AbortSignal.timeout(5);'],
    ['setTimeout', 'setTimeout(done, 5);'],
    ['setTimeout', 'globalThis.setTimeout(done, 5);'],
    ['setTimeout', 'const timers = { setTimeout };'],
    ['setInterval', 'const start = setInterval;'],
    ['setImmediate', 'setImmediate(done);'],
    ['queueMicrotask', 'queueMicrotask(done);'],
  ])('finds %s in `%s`', (use, text) => {
    expect(check(text)).toEqual([`tools/tool.ts:1: ${use}`]);
  });

  it('names the line', () => {
    expect(check('\n\nconst at = Date.now();')).toEqual(['tools/tool.ts:3: Date.now']);
  });

  it('reads neither comments nor strings', () => {
    expect(check('// Date.now()\n/* setTimeout() */ const hint = "Math.random()";')).toEqual([]);
  });

  it('accepts conversions, settled promises, and members of other objects', () => {
    const text = `
      interface Timers { setTimeout(done: () => void): void }
      const date = new Date(0);
      await Promise.resolve(environment.all(tasks));
      environment.setTimeout(done);
      clock.now();
    `;

    expect(check(text)).toEqual([]);
  });

  it('leaves the environment itself, the testing tools and tests alone', () => {
    for (const path of ['context/environment.ts', 'testing/clock.ts', 'tools/tool.test.ts']) {
      expect(check('Date.now(); setTimeout(done);', path)).toEqual([]);
    }
  });
});
