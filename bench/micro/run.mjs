/**
 * Measures single operations and the cost that each feature adds to a plain loop.
 *
 *   npm run bench:micro -- [--only text] [--rounds 5] [--budget 400] [--save name] [--compare name]
 *
 * Each benchmark is measured in separate processes, in interleaved rounds. The figures are the
 * median CPU time and the allocated bytes per operation. `--save` stores the figures under a name.
 * `--compare` shows the ratio to stored figures.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { numberOf, stop } from '../harness/options.mjs';
import { runChild } from '../harness/run-child.mjs';
import { median } from '../harness/summary.mjs';
import { asText } from '../report/table.mjs';
import { FEATURES } from './features.mjs';
import { HOT_PATHS } from './hot-paths.mjs';
import { microTable } from './micro-table.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    budget: { type: 'string', default: '400' },
    save: { type: 'string' },
    compare: { type: 'string' },
  },
});

const TIMEOUT_SECONDS = 60;
/**
 * The size of the young generation in MB. It prevents garbage collections while allocations are
 * counted.
 */
const YOUNG_MB = 256;

const rounds = numberOf(options, 'rounds');
const budget = numberOf(options, 'budget');
const earlier = options.compare === undefined ? undefined : load(options.compare);
const hotPaths = chosen(HOT_PATHS);
// Features are compared with the plain loop, so it is always measured.
const features = chosen(FEATURES);
if (features.length > 0 && features[0] !== FEATURES[0]) features.unshift(FEATURES[0]);
const wanted = [...hotPaths, ...features];
if (wanted.length === 0)
  stop(`No benchmark has \`${options.only}\` in its name. Check \`--only\`.`);
const figures = await measureAll(wanted);

if (hotPaths.length > 0) print('Hot paths', microTable(hotPaths, figures, { earlier }));
if (features.length > 0) {
  const baseline = FEATURES[0].name;
  print('Features', microTable(features, figures, { earlier, baseline }));
}
if (options.save !== undefined) save(options.save);

async function measureAll(all) {
  const samples = new Map(all.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const { name } of all) samples.get(name).push((await measure('time', name, [])).ns);
    process.stderr.write(`round ${round} of ${rounds}\n`);
  }
  const measured = {};
  for (const { name } of all) {
    const space = [`--min-semi-space-size=${YOUNG_MB}`, `--max-semi-space-size=${YOUNG_MB}`];
    const { bytes } = await measure('allocations', name, ['--expose-gc', ...space]);
    measured[name] = { ns: median(samples.get(name)), bytes };
  }
  return measured;
}

async function measure(what, name, flags) {
  const args = [...flags, 'micro/measure.mjs', what, name, String(budget)];
  const result = await runChild(args, TIMEOUT_SECONDS);
  if (result.error || result.timeout) stop(`${name}: ${result.error ?? 'took too long'}`);
  return result;
}

function chosen(all) {
  return all.filter(({ name }) => name.includes(options.only));
}

function print(title, rows) {
  console.log(`\n${title}\n\n${asText(rows)}`);
}

function fileOf(name) {
  if (!/^[\w.-]+$/.test(name))
    stop(`A name consists of letters, digits, dots and dashes, unlike \`${name}\`.`);
  return fileURLToPath(new URL(`../results/micro-${name}.json`, import.meta.url));
}

function load(name) {
  const path = fileOf(name);
  if (!existsSync(path))
    stop(`No figures are stored as \`${name}\`. Measure with \`--save ${name}\` first.`);
  return JSON.parse(readFileSync(path, 'utf8')).figures;
}

function save(name) {
  mkdirSync(fileURLToPath(new URL('../results', import.meta.url)), { recursive: true });
  const about = { node: process.version, when: new Date().toISOString() };
  writeFileSync(fileOf(name), JSON.stringify({ ...about, figures }, undefined, 1));
  console.error(`Stored as ${name}`);
}
