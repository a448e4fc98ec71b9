import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the documents, and that of the repository. */
const docs = fileURLToPath(new URL('..', import.meta.url));
const repository = resolve(docs, '..');

/** What is left out of lists of files: it is there for other reasons than being read. */
const UNLISTED = /^(node_modules|dist)$|\.test(-d)?\.ts$/;

/** A page that shows a file of the repository, or lists a folder of it. */
export interface SourcePage {
  readonly params: { readonly path: string };
  readonly content: string;
}

/**
 * Where a link of a document leads on the site.
 *
 * Documents link to sources and examples as they lie in the repository. The site has a page for each
 * of them, so nothing leads away from it.
 */
export function siteLink(page: string, href: string): string {
  const [target = '', hash] = href.split('#');
  if (target === '' || /^\w+:|^\//.test(target)) return href;
  const path = resolve(docs, dirname(page), target);
  if (path.startsWith(docs)) return folderLink(path) ?? href;
  return `/source/${pageOf(relative(repository, path))}.html${hash === undefined ? '' : `#${hash}`}`;
}

/** VitePress takes the ending of a Markdown file for that of a page. */
function pageOf(source: string): string {
  return source.replace(/\.md$/, '-md');
}

/** A folder of documents is its README. */
function folderLink(path: string): string | undefined {
  if (!existsSync(join(path, 'README.md'))) return undefined;
  return `/${relative(docs, path)}/`;
}

/** Pages for all files and folders of the repository that documents link to, and documents among those. */
export function sourcePages(): SourcePage[] {
  const documents = globSync('docs/**/*.md', {
    cwd: repository,
    exclude: ['docs/api/**', 'docs/source/**'],
  });
  const linked = new Set(documents.flatMap(sourcesIn));
  for (const path of [...linked].filter((one) => one.endsWith('.md'))) {
    for (const source of sourcesIn(path)) linked.add(source);
  }
  return [...linked].map((path) => ({
    params: { path: pageOf(path) },
    content: show(path, linked),
  }));
}

/** What a document links to that is not among the documents of the site. */
function sourcesIn(document: string): string[] {
  const text = readFileSync(join(repository, document), 'utf8');
  const links = [...text.matchAll(/(?:\]\(|href=")(?!\w+:)([^)"#\s]+)/g)];
  return links
    .map(([, href = '']) => join(dirname(document), href).replace(/\/$/, ''))
    .filter((path) => !path.startsWith('docs/') && existsSync(join(repository, path)));
}

function show(path: string, linked: ReadonlySet<string>): string {
  const absolute = join(repository, path);
  if (statSync(absolute).isDirectory()) return list(path, readdirSync(absolute), linked);
  if (path.endsWith('.md')) return relinked(path, readFileSync(absolute, 'utf8'), linked);
  const language = extname(path).slice(1);
  // More backticks than any block inside of the file has.
  return `# ${path}\n\n\`\`\`\`\`${language}\n${readFileSync(absolute, 'utf8')}\n\`\`\`\`\``;
}

/** A document from elsewhere in the repository. What the site has no page for is named, not linked. */
function relinked(path: string, markdown: string, linked: ReadonlySet<string>): string {
  return markdown.replaceAll(
    /\[([^\]]+)\]\((?!\w+:|#)([^)\s]+)\)/g,
    (_, text: string, href: string) => {
      const [target = '', hash] = href.split('#');
      const source = join(dirname(path), target).replace(/\/$/, '');
      const anchor = hash === undefined ? '' : `#${hash}`;
      if (source.startsWith('docs/')) {
        const link = folderLink(join(repository, source)) ?? `/${source.slice('docs/'.length)}`;
        return `[${text}](${link}${anchor})`;
      }
      return linked.has(source) ? `[${text}](/source/${pageOf(source)}.html${anchor})` : text;
    },
  );
}

function list(path: string, names: readonly string[], linked: ReadonlySet<string>): string {
  const lines = names
    .filter((name) => !UNLISTED.test(name))
    .map((name) => {
      const entry = `${path}/${name}`;
      return linked.has(entry) ? `- [${name}](/source/${pageOf(entry)}.html)` : `- ${name}`;
    });
  return `# ${path}\n\n${lines.join('\n')}`;
}
