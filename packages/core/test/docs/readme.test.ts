import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/run-program.ts';

/** Returns the lines of code in a block of the README, without imports and blank lines. */
function linesOf(snippet: string): string[] {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  const block =
    readme.split(`<!-- snippet: ${snippet} -->\n\`\`\`ts\n`)[1]?.split('\n```')[0] ?? '';
  return block.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('import '));
}

describe('the README', () => {
  it('deletes a file with inline approval in at most 7 lines', () => {
    const lines = linesOf('examples/readme/approval.ts#inline');

    expect(lines.join('\n')).toMatch(/requiresApproval: true[^]*deferredToolHandler/);
    expect(lines.length).toBeLessThanOrEqual(7);
  });

  it('deletes a file in two phases in at most 9 lines', () => {
    const lines = linesOf('examples/readme/two-phase.ts#two-phase');

    expect(lines.join('\n')).toMatch(/requiresApproval: true[^]*agent\.resume\(/);
    expect(lines.length).toBeLessThanOrEqual(9);
  });
});
