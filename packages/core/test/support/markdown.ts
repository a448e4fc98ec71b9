import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { repository } from './run-program.ts';

const IGNORED = ['**/node_modules/**', '.changeset/**', 'conformance/data/**', '**/api/**'];

/** The documents of the repository, by their path in it. */
export function findDocuments(): string[] {
  return globSync('**/*.md', { cwd: repository, exclude: IGNORED }).toSorted();
}

const BLOCK = /(?:<!-- snippet: (?<file>\S+)#(?<region>\S+) -->\n+)?```ts\n[^]*?^```$/gm;

/**
 * A document with each of its TypeScript blocks as the example file has it.
 *
 * The comment above a block says which region: `<!-- snippet: examples/tools.ts#price -->`. A block
 * without one is an error, so no code is shown that nobody runs.
 */
export function fillSnippets(markdown: string): string {
  return markdown.replaceAll(BLOCK, (block, file?: string, region?: string) => {
    if (file === undefined || region === undefined) {
      throw new Error(`This block does not say where it comes from:\n${block}`);
    }
    const code = readRegion(readFileSync(resolve(repository, file), 'utf8'), region);
    if (code === '') throw new Error(`${file} has no region '${region}'.`);
    return `<!-- snippet: ${file}#${region} -->\n\`\`\`ts\n${code}\n\`\`\``;
  });
}

/** What stands between `// #region name` and `// #endregion`; regions of one name are joined. */
export function readRegion(source: string, name: string): string {
  const pieces: string[] = [];
  for (const [, indent = '', found, body = ''] of source.matchAll(
    /^([ \t]*)\/\/ #region (\S+)\n([^]*?)^[ \t]*\/\/ #endregion$/gm,
  )) {
    const lines = body.trimEnd().split('\n');
    if (found === name) {
      pieces.push(lines.map((line) => line.replace(new RegExp(`^${indent}`), '')).join('\n'));
    }
  }
  return pieces.join('\n\n');
}

/** The links of a document to files that are not there. */
export function findBrokenLinks(path: string, markdown: string): string[] {
  const links = markdown.matchAll(/(?:\]\(|href=")(?!\w+:)([^)"#\s]+)/g);
  const targets = [...links].map(([, target = '']) => target);
  return targets.filter((target) => !existsSync(resolve(repository, dirname(path), target)));
}
