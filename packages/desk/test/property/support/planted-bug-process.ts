// Plants bugs in the sources, one after the other, and searches for each a story that breaks the property. The
// parent process sends the searches.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { context, type Plugin } from 'esbuild';
import { repository } from '../../../../core/test/support/run-program.ts';
import { PEOPLE_BUGS } from './people/planted-bugs.ts';
import type { PlantedBug, Replacement } from './planted-bug.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import type { searchViolation } from './search.ts';
import type { SearchResult } from './search-result.ts';

/** A search for a story that breaks the property of a desk with a bug. */
export interface BugSearch {
  readonly name: string;
  readonly maxCases: number;
  readonly seed: number;
}

/** The outcome of a search. */
export interface BugSearchOutcome {
  readonly result?: SearchResult | undefined;
  readonly error?: string | undefined;
}

const BUGS = [...PLANTED_BUGS, ...PEOPLE_BUGS];
const FILES = new Set(BUGS.flatMap((bug) => bug.replacements.map(({ file }) => file)));

/** The replacements of the bug that is planted now, and those that were not made yet. */
let replacements: readonly Replacement[] = [];
const missing = new Set<Replacement>();

const plantBug: Plugin = {
  name: 'plant-bug',
  setup({ onLoad }) {
    // Other files stay parsed from one bundle to the next.
    const filter = new RegExp(`/packages/(?:${[...FILES].join('|').replaceAll('.', '\\.')})$`);
    onLoad({ filter }, async ({ path }) => {
      const own = replacements.filter(({ file }) => path.endsWith(`/packages/${file}`));
      return { contents: own.reduce(replaced, await readFile(path, 'utf8')), loader: 'ts' };
    });
  },
};

function replaced(source: string, replacement: Replacement): string {
  const { text, by, file } = replacement;
  const parts = source.split(text);
  if (parts.length !== 2) {
    throw new Error(
      `The text '${text}' occurs ${parts.length - 1} times in ${file}. Change the planted bug.`,
    );
  }
  missing.delete(replacement);
  return parts.join(by);
}

const cache = join(repository, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'planted-bugs-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
// A process would need more time to load the sources.
const bundles = await context({
  entryPoints: [join(import.meta.dirname, 'search.ts')],
  plugins: [plantBug],
  bundle: true,
  external: ['@cfworker/json-schema', '@hono/*', 'fast-check', 'hono', 'kysely', 'pg', 'zod'],
  write: false,
  format: 'esm',
  platform: 'node',
  conditions: ['holdpoint-source'],
  logLevel: 'silent',
});

async function searchWith(bug: PlantedBug): Promise<typeof searchViolation> {
  replacements = bug.replacements;
  missing.clear();
  for (const one of replacements) missing.add(one);
  const { outputFiles } = await bundles.rebuild();
  if (missing.size > 0) throw new Error(`A file of the planted bug '${bug.name}' was not loaded.`);
  const path = join(folder, `${BUGS.indexOf(bug)}.mjs`);
  await writeFile(path, outputFiles[0]?.contents ?? '');
  const { searchViolation: searchIn } = await import(path);
  return searchIn;
}

async function search({ name, maxCases, seed }: BugSearch): Promise<SearchResult> {
  const bug = BUGS.find((one) => one.name === name);
  if (bug === undefined) throw new Error(`There is no planted bug '${name}'.`);
  const searchIn = await searchWith(bug);
  return searchIn(bug.theme, maxCases, seed);
}

process.on('message', (wanted: BugSearch) => {
  search(wanted).then(
    (result) => process.send?.({ result } satisfies BugSearchOutcome),
    (error: unknown) => process.send?.({ error: String(error) } satisfies BugSearchOutcome),
  );
});
process.once('disconnect', async () => {
  await bundles.dispose();
  process.exit();
});
