// Prints a Markdown table (old, new) of the public names that changed between two versions of the
// API reports.
//
//   node scripts/api-renames.mjs <git revision> [mapping file]
//
// It compares the reports of the revision with those of the working tree. The mapping file lists the
// renames. The reports show the removed names and the current entry point of each name.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [revision, mappingFile = `${root}scripts/api-renames.json`] = process.argv.slice(2);
if (revision === undefined) {
  console.error('Missing argument: <git revision>.');
  process.exit(1);
}

/** @type {{ names: Record<string, string>, options: Record<string, string> }} */
const mapping = JSON.parse(readFileSync(mappingFile, 'utf8'));
const FOLDERS = { holdpoint: 'packages/core/api', '@holdpoint/desk': 'packages/desk/api' };

/** @type {[string, string][]} */
const rows = Object.entries(mapping.options);
for (const [packageName, folder] of Object.entries(FOLDERS)) {
  const before = exportsOf(packageName, folder, readOld);
  const now = exportsOf(packageName, folder, readNew);
  for (const [name, entry] of before) {
    if (now.some(([other, otherEntry]) => other === name && otherEntry === entry)) continue;
    const moved = now.some(([other]) => other === name) ? name : mapping.names[name];
    const newName = mapping.names[`${entry}#${name}`] ?? moved;
    // A method is listed with its object, such as `messageCodec.parse`.
    const newEntry = now.find(([other]) => other === newName?.split('.')[0])?.[1];
    rows.push([
      `\`${name}\` of \`${entry}\``,
      newEntry === undefined ? 'removed' : `\`${newName}\` of \`${newEntry}\``,
    ]);
  }
}
console.log(
  ['| old | new |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'),
);

/**
 * Returns the names that the reports of a package contain, each with its entry point.
 *
 * @param {string} packageName
 * @param {string} folder
 * @param {(folder: string) => [file: string, text: string][]} read
 * @returns {[name: string, entry: string][]}
 */
function exportsOf(packageName, folder, read) {
  const main = `${packageName.split('/').at(-1)}.api.md`;
  return read(folder).flatMap(([file, text]) => {
    const entry = file === main ? packageName : `${packageName}/${file.replace('.api.md', '')}`;
    const declared =
      /^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm;
    return [...text.matchAll(declared)].map(
      ([, name = '']) => /** @type {[string, string]} */ ([name, entry]),
    );
  });
}

/** @returns {[string, string][]} the reports of the revision */
function readOld(/** @type {string} */ folder) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  return git('ls-tree', '--name-only', `${revision}:${folder}`)
    .split('\n')
    .filter((file) => file.endsWith('.api.md'))
    .map((file) => [file, git('show', `${revision}:${folder}/${file}`)]);
}

/** @returns {[string, string][]} the reports of the working tree */
function readNew(/** @type {string} */ folder) {
  if (!existsSync(`${root}${folder}`)) return [];
  return readdirSync(`${root}${folder}`)
    .filter((file) => file.endsWith('.api.md'))
    .map((file) => [file, readFileSync(`${root}${folder}/${file}`, 'utf8')]);
}
