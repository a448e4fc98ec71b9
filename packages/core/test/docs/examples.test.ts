import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repository, runNode } from '../support/run-program.ts';

const DEMO = 'examples/demo.ts';
const EXAMPLES = globSync(['examples/*.ts', 'examples/readme/*.ts'], { cwd: repository });

/** Runs a program as `npm start` does, on its scripted model, and gives what it printed. */
function runExample(path: string): Promise<string> {
  return runNode(['--conditions=holdpoint-source', '--import', 'tsx', path], {
    cwd: repository,
    env: { HOLDPOINT_MODEL: '', FORCE_COLOR: '0' },
  });
}

describe('the examples', { timeout: 30_000 }, () => {
  it('are there', () => {
    expect(EXAMPLES).toContain(DEMO);
    expect(EXAMPLES).toContain('examples/tools.ts');
    expect(EXAMPLES).toContain('examples/readme/first-agent.ts');
  });

  // Each asserts its own outcome.
  it.each(EXAMPLES.filter((path) => path !== DEMO))('%s runs to its end', async (path) => {
    await runExample(path);
  });

  it('include a demo that ends by itself and prints plain text where nobody looks', async () => {
    const printed = await runExample(DEMO);

    expect(printed).not.toContain('\u001b');
    expect(printed).toMatch(/3 calls in parallel/);
    expect(printed).toMatch(/↻ set_version v1\.3/);
    expect(printed).toMatch(/version {2}1\.3\.0/);
    expect(printed).toMatch(/4 new messages, 13 in all/);
  });
});
