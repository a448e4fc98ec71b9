import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { executeProgram } from './support/execute-program.ts';
import { PLANTED_BUGS } from './support/planted-bugs.ts';
import type { SearchResult } from './support/search.ts';

const MAX_CASES = 1_500;
const SEED = 20_261_115;

const NAMES = PLANTED_BUGS.map(({ name }) => name);

/** Plants a bug in the sources that another process loads, and searches a story that breaks the property. */
function search(name: string): Promise<SearchResult> {
  return executeProgram('planted-bug-process.ts', [name, `${MAX_CASES}`, `${SEED}`]);
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
