import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDocuments } from '../../../core/test/support/markdown.ts';
import { repository } from '../../../core/test/support/run-program.ts';
import { commandsIn, problemOf } from '../support/command-lines.ts';

// A decision record names the commands of its time.
const documents = findDocuments().filter((path) => !path.startsWith('docs/decisions/'));

describe('commands in documents', () => {
  it('exist, with their options, scripts and files', () => {
    const problems = documents.flatMap((path) =>
      commandsIn(readFileSync(join(repository, path), 'utf8')).flatMap((command) => {
        const problem = problemOf(command, path);
        return problem === undefined ? [] : [`${path}: ${command}: ${problem}`];
      }),
    );

    expect(problems).toEqual([]);
  });

  it.each([
    ['holdpoint hold list', 'There is no command hold.'],
    ['npx holdpoint aprove 3f2a', 'There is no command aprove.'],
    ['holdpoint desk my-desk.ts --prot 1', '`desk` has no option --prot.'],
    ['holdpoint keys create billing --scopes request', '`create` has no option --scopes.'],
    ['npm run strat', 'There is no script strat.'],
    ['npx tsx examples/missing.ts', 'The file examples/missing.ts does not exist.'],
  ])('have an invalid part: %s', (command, problem) => {
    expect(problemOf(command, 'docs/x.md')).toBe(problem);
  });

  it('are found in shell blocks and in inline code', () => {
    const text =
      '```sh\nA=1 npm ci && npm test # tests\neval "$(holdpoint completion bash)"\nholdpoint desk a.ts \\\n  --port 1\n```\nCall `holdpoint holds`. Not `Holdpoint`.';

    expect(commandsIn(text)).toEqual([
      'A=1 npm ci',
      'npm test',
      'eval',
      'holdpoint completion bash',
      'holdpoint desk a.ts    --port 1',
      'holdpoint holds',
    ]);
  });
});
