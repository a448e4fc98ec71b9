import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { slug } from '../../../../docs/.vitepress/slug.ts';
import { repository } from './run-program.ts';

const IGNORED = ['**/node_modules/**', '.changeset/**', 'conformance/data/**', '**/api/**'];

/** The documents of the repository, by their path in it. */
export function findDocuments(): string[] {
  return globSync('**/*.md', { cwd: repository, exclude: IGNORED }).toSorted();
}

const BLOCK = /(?:<!-- (?:snippet: (\S+)#(\S+)|code of (.+)) -->\n+)?```ts\n[^]*?^```$/gm;

/**
 * Fills the TypeScript blocks of a document from the example files.
 *
 * The comment above a block names the region: `<!-- snippet: examples/tools.ts#price -->`. A block
 * without one is an error, so all code in documents is executed. Code of another library names the
 * library and its version: `<!-- code of @openai/agents 0.20 -->`.
 */
export function fillSnippets(markdown: string): string {
  return markdown.replaceAll(BLOCK, (block, file?: string, region?: string, library?: string) => {
    if (library !== undefined && namesVersion(library)) return block;
    if (file === undefined || region === undefined) {
      throw new Error(`This block does not say where it comes from:\n${block}`);
    }
    const code = readRegion(readFileSync(resolve(repository, file), 'utf8'), region);
    if (code === '') throw new Error(`${file} has no region '${region}'.`);
    return `<!-- snippet: ${file}#${region} -->\n\`\`\`ts\n${code}\n\`\`\``;
  });
}

/** Code that uses Holdpoint is always executed. */
function namesVersion(library: string): boolean {
  return /^\S+ \d+\.\d+$/.test(library) && !/holdpoint/i.test(library);
}

/** Returns the text between `// #region name` and `// #endregion`; joins regions with the same name. */
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

/** Returns the links of a document to missing files and sections. */
export function findBrokenLinks(path: string, markdown: string): string[] {
  const links = markdown.matchAll(/(?:\]\(|href=")(?!\w+:)([^)"#\s]*)(?:#([^)"\s]*))?/g);
  const broken: string[] = [];
  for (const [, target = '', anchor] of links) {
    const file =
      target === '' ? path : relative(repository, resolve(repository, dirname(path), target));
    const isBroken =
      !existsSync(join(repository, file)) ||
      (anchor !== undefined &&
        file.endsWith('.md') &&
        !anchorsIn(file, path, markdown).has(anchor));
    if (isBroken) broken.push(anchor === undefined ? target : `${target}#${anchor}`);
  }
  return broken;
}

/**
 * Returns the anchors of a file. For the document `path`, it uses the given text, which may not be
 * stored.
 */
function anchorsIn(file: string, path: string, markdown: string): Set<string> {
  return anchorsOf(file === path ? markdown : readFileSync(join(repository, file), 'utf8'));
}

/** Returns the link targets of a document: its headings, and elements with an id. */
export function anchorsOf(markdown: string): Set<string> {
  const text = markdown.replaceAll(/^(`{3,})[^]*?^\1$/gm, '');
  const found = new Set([...text.matchAll(/<\w+ id="([^"]+)"/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const first = slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    let anchor = first;
    for (let count = 1; found.has(anchor); count++) anchor = `${first}-${count}`;
    found.add(anchor);
  }
  return found;
}
