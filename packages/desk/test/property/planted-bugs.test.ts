import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PLANTED_BUGS } from './support/planted-bugs.ts';
import type { SearchResult } from './support/search.ts';

const PROGRAM = fileURLToPath(new URL('support/planted-bug-process.ts', import.meta.url));
const MAX_CASES = 1_500;
const SEED = 20_261_115;

const NAMES = PLANTED_BUGS.map(({ name }) => name);

const execute = promisify(execFile);

/** Plants a bug in the sources that another process loads, and searches a story that breaks the property. */
async function search(name: string): Promise<SearchResult> {
  const options = ['--conditions=holdpoint-source', PROGRAM];
  const { stdout } = await execute(process.execPath, [...options, name, `${MAX_CASES}`, `${SEED}`]);
  // The last line is the result.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as SearchResult;
}

describe('the property of the desk', () => {
  it('is tested with at least 30 planted bugs', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(30);
  });

  describe.concurrent('notices a planted bug', { timeout: 300_000 }, () => {
    let running = 0;
    const waiting: (() => void)[] = [];
    it.each(NAMES)('%s', async (name) => {
      // One process for each core.
      if (running >= availableParallelism()) await new Promise<void>((go) => waiting.push(go));
      running += 1;
      try {
        expect((await search(name)).violation).toEqual(expect.any(String));
      } finally {
        running -= 1;
        waiting.shift()?.();
      }
    });
  });
});
