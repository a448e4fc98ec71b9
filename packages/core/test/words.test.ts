import { describe, expect, it } from 'vitest';
import {
  findWordProblems,
  formatProblem,
  readCheckedFiles,
  readTodo,
  type TextFile,
} from './support/words.ts';

// Parsing every file takes long on a busy machine.
describe('words of the core', { timeout: 120_000 }, () => {
  const files = readCheckedFiles();
  const todo = readTodo();
  const problemsOf = (file: TextFile) => findWordProblems(file).map(formatProblem);

  it('contains no retired word outside the files of words-todo.txt', () => {
    const finished = files.filter((file) => !todo.includes(file.path));

    expect(finished.length).toBeGreaterThan(0);
    expect(finished.flatMap(problemsOf)).toEqual([]);
  });

  it('lists only files in words-todo.txt that still contain retired words', () => {
    const clean = todo.filter((path) => {
      const file = files.find((one) => one.path === path);
      return file === undefined || findWordProblems(file).length === 0;
    });

    // `node scripts/counts.mjs --todo` writes the list again.
    expect(clean).toEqual([]);
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
