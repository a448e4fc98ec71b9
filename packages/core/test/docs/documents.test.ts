import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  anchorsOf,
  fillSnippets,
  findBrokenLinks,
  findDocuments,
  readRegion,
} from '../support/markdown.ts';
import { repository } from '../support/run-program.ts';

/**
 * TypeScript comes from examples. Commands are checked by `packages/cli/test/docs`. Other languages
 * are not executed.
 */
const LANGUAGES: ReadonlySet<string | undefined> = new Set([
  'ts',
  'sh',
  'json',
  'text',
  'http',
  'sql',
  'python',
]);

describe.each(findDocuments())('%s', (path) => {
  const markdown = readFileSync(join(repository, path), 'utf8');

  // `npx vitest run packages/core/test/docs --update` writes the blocks into the documents.
  it('shows code of examples that run', async () => {
    await expect(fillSnippets(markdown)).toMatchFileSnapshot(join(repository, path));
  });

  it('has code only in languages that are checked, and valid JSON', () => {
    const blocks = [...markdown.matchAll(/^```(\S*)\n([^]*?)^```$/gm)];

    expect(blocks.map(([, language]) => language).filter((one) => !LANGUAGES.has(one))).toEqual([]);
    for (const [, language, code = ''] of blocks) {
      // A log has a document on each line.
      const documents = /^\{.*\}\n\{/.test(code) ? code.trim().split('\n') : [code];
      if (language === 'json') for (const one of documents) JSON.parse(one);
    }
  });

  it('links to files and sections that exist', () => {
    expect(findBrokenLinks(path, markdown)).toEqual([]);
  });
});

describe('the list of examples', () => {
  it('contains every example', () => {
    const list = readFileSync(join(repository, 'examples/README.md'), 'utf8');
    const entries = readdirSync(join(repository, 'examples'), { withFileTypes: true });
    const examples = entries
      .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
      .map(({ name }) => name)
      .filter((name) => name !== 'node_modules');

    expect(examples.length).toBeGreaterThan(20);
    expect(examples.filter((name) => !list.includes(`](${name}`))).toEqual([]);
  });
});

describe('the document check', () => {
  it('finds the documents', () => {
    expect(findDocuments()).toContain('README.md');
    expect(findDocuments()).toContain('docs/architecture.md');
  });

  it('joins regions with the same name and removes their indentation', () => {
    const source = `
      // #region a
      const one = {
        two: 2,
      };
      // #endregion
      hidden();
// #region b
other();
// #endregion
  // #region a
  use(one);
  // #endregion
`;

    expect(readRegion(source, 'a')).toBe('const one = {\n  two: 2,\n};\n\nuse(one);');
    expect(readRegion(source, 'c')).toBe('');
  });

  it('rejects code without a source', () => {
    const block = '```ts\nnew Agent();\n```\n';

    expect(() => fillSnippets(block)).toThrow(/does not say where it comes from/);
    expect(() =>
      fillSnippets(`<!-- snippet: examples/tools.ts#no-such-region -->\n${block}`),
    ).toThrow(/examples\/tools.ts has no region 'no-such-region'/);
  });

  it('replaces code that differs from the example', () => {
    const stale = '<!-- snippet: examples/docs/history.ts#history -->\n```ts\nold();\n```\n';

    expect(fillSnippets(stale)).toMatch(/```ts\nimport .*messageCodec[^]*```\n$/);
  });

  it('finds links to missing files', () => {
    const text = '[a](../README.md) [b](nowhere.md#x) [c](https://example.com) [d](decisions)';
    const html = '<a href="../README.md">e</a> <a href="nowhere.ts">f</a>';

    expect(findBrokenLinks('docs/glossary.md', text + html)).toEqual([
      'nowhere.md#x',
      'nowhere.ts',
    ]);
  });

  it('finds links to missing sections', () => {
    const text = `# Here and \`there\`
      [a](#here-and-there) [b](#elsewhere) [c](architecture.md#the-gate) [d](architecture.md#the-fence)`;

    expect(findBrokenLinks('docs/glossary.md', text)).toEqual([
      '#elsewhere',
      'architecture.md#the-fence',
    ]);
  });

  it('computes the anchors of a document as GitHub does', () => {
    const markdown = `# What's \`new_tools\`, and why?
## [Linked](a.md) – 2 words
\`\`\`sh
# not a heading
\`\`\`
## Again
## Again
<a id="by-hand"></a>`;

    expect([...anchorsOf(markdown)]).toEqual([
      'by-hand',
      'whats-new_tools-and-why',
      'linked--2-words',
      'again',
      'again-1',
    ]);
  });

  it('accepts code of other libraries with their version', () => {
    const block = '```ts\nnew Runner();\n```\n';
    const foreign = `<!-- code of @openai/agents 0.20 -->\n${block}`;

    expect(fillSnippets(foreign)).toBe(foreign);
    expect(() => fillSnippets(`<!-- code of @openai/agents -->\n${block}`)).toThrow(/does not say/);
    expect(() => fillSnippets(`<!-- code of holdpoint 1.0 -->\n${block}`)).toThrow(/does not say/);
  });
});
