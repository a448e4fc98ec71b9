// Removes one fence, lock or commit from the sources that this process loads, and executes probes:
// node removal-process.ts <name of the removal, or nothing> <connection string of PostgreSQL> <probe…>
import { registerHooks } from 'node:module';
import { REMOVALS } from './removals.ts';

const [name = '', url = '', ...names] = process.argv.slice(2);
const removal = REMOVALS.find((one) => one.name === name);
if (name !== '' && removal === undefined) throw new Error(`There is no removal '${name}'.`);
let isRemoved = removal === undefined;

registerHooks({
  load(address, context, nextLoad) {
    const loaded = nextLoad(address, context);
    if (removal === undefined || !address.endsWith(`/packages/desk/src/${removal.file}`))
      return loaded;
    const parts = String(loaded.source).split(removal.text);
    if (parts.length !== 2) {
      throw new Error(
        `The text '${removal.text}' occurs ${parts.length - 1} times in ${removal.file}. Change the removal.`,
      );
    }
    isRemoved = true;
    return { ...loaded, source: parts.join(removal.by) };
  },
});

const { PROBES } = await import('./probes.ts');
const found: Record<string, string | null> = {};
for (const probe of names) {
  const execute = Object.entries(PROBES).find(([known]) => known === probe)?.[1];
  if (execute === undefined) throw new Error(`There is no probe '${probe}'.`);
  found[probe] = (await execute(url)) ?? null;
}
if (!isRemoved) throw new Error(`A file of the removal '${name}' was not loaded.`);
console.log(JSON.stringify(found));
// A probe that fails may leave a statement behind that waits for a lock.
process.exit();
