// Plants one bug in the sources that this process loads, and searches a story that breaks the property:
// node planted-bug-process.ts <name of the bug> <maximal number of cases> <seed>
import { registerHooks } from 'node:module';
import { PLANTED_BUGS, type Replacement } from './planted-bugs.ts';

const [name = '', maxCases = '', seed = ''] = process.argv.slice(2);
const bug = PLANTED_BUGS.find((one) => one.name === name);
if (bug === undefined) throw new Error(`There is no planted bug '${name}'.`);
const missing = new Set(bug.replacements);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = bug.replacements.filter(({ file }) => url.endsWith(`/packages/${file}`));
    if (own.length === 0) return loaded;
    return { ...loaded, source: own.reduce(replaced, String(loaded.source)) };
  },
});

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

const { searchViolation } = await import('./search.ts');
const result = await searchViolation(bug.theme, Number(maxCases), Number(seed));
if (missing.size > 0) throw new Error(`A file of the planted bug '${name}' was not loaded.`);
console.log(JSON.stringify(result));
