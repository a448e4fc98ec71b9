import { describe, expect, it } from 'vitest';
import { findAmbiguousNames } from './support/ambiguous-names.ts';
import {
  findWordProblems,
  formatProblem,
  readCheckedFiles,
  readTextFiles,
  type TextFile,
} from './support/words.ts';

// Parsing every file takes long on a busy machine.
describe('words of the repository', { timeout: 120_000 }, () => {
  it('contain no retired word', () => {
    const files = readCheckedFiles();

    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => findWordProblems(file).map(formatProblem))).toEqual([]);
  });

  it('have one meaning each in the core: no two files declare the same name', () => {
    const files = readTextFiles(['packages/core/src']).filter(({ path }) => !isTest(path));

    expect(files.length).toBeGreaterThan(0);
    expect(findAmbiguousNames(files)).toEqual([]);
  });
});

function isTest(path: string): boolean {
  return /\.test(-d)?\.ts$/.test(path);
}

describe('the search for ambiguous names', () => {
  it('finds a name that two files declare', () => {
    const files: readonly TextFile[] = [
      { path: 'one.ts', text: 'export function read(): void;\nexport function read(): void {}' },
      { path: 'other.ts', text: 'const read = 1;\nfunction inner() { const local = 1; }' },
      { path: 'third.ts', text: 'function outer() { const local = 1; }' },
    ];

    expect(findAmbiguousNames(files)).toEqual([{ name: 'read', paths: ['one.ts', 'other.ts'] }]);
  });
});

describe('words test', () => {
  const find = (text: string, path = 'packages/core/src/tools/tool.ts') =>
    findWordProblems({ path, text }).map(({ kind, match }) => `${kind}: ${match}`);

  it.each([
    ['line comment', '// The approver answered.', 'comment: answered'],
    ['continued line comment', '// The run\n// goes on.\n', 'comment: goes on'],
    ['doc comment', '/** Waits until somebody decides. */', 'comment: somebody'],
    ['comment without a subject', '/** Whether it runs. */', 'comment: whether'],
    ['second sentence without a subject', '// Runs. Where it ends.', 'comment: where'],
    ['measure without a subject', '/** How often it runs. */', 'comment: how often'],
    ['clipped measure', '// Repeats it so many times.', 'comment: so many'],
    ['string', "const text = 'It was refused.';", 'string: refused'],
    ['template', 'const text = `${name} was told`;', 'string: told'],
    ['function name', 'function takeAnswer() {}', 'identifier: answer'],
    ['private field', 'class A { #nobody = 1; }', 'identifier: nobody'],
    ['parameter', 'const f = (asked) => 1;', 'identifier: asked'],
    ['limit', 'const mostTries = 3;', 'identifier: most'],
    ['condition', 'if (value instanceof Promise) await value;', 'condition: instanceof promise'],
    ['engine word', '// V8 keeps it.', 'comment: v8'],
  ])('finds a retired word in a %s', (_, text, problem) => {
    expect(find(text)).toEqual([problem]);
  });

  it('finds a retired word in a file name', () => {
    expect(find('', 'packages/core/src/loop/asked-calls.ts')).toEqual(['path: asked']);
  });

  it('reads the prose of Markdown, not its code', () => {
    const text =
      'The handler replied.\n\n```ts\nconst answer = 1;\n```\n\nSet `answer` to [1](answer.md).';

    expect(find(text, 'docs/tools.md')).toEqual(['markdown: replied']);
  });

  it('accepts questions, import paths, and sample strings of tests', () => {
    expect(find('// What happens next? The run parks.')).toEqual([]);
    expect(find("import { a } from './answer.ts';")).toEqual([]);
    expect(find("const text = 'an answer';", 'packages/core/test/a.test.ts')).toEqual([]);
    expect(find("it('is told', () => {});", 'packages/core/test/a.test.ts')).toEqual([
      'string: told',
    ]);
  });
});
