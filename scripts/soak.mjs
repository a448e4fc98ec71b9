// Runs the property and fault-injection tests with more cases than `npm test`:
//
//   npm run soak -- --times 20 --seed 7
//
// `--times` multiplies the number of cases (default: 5). `--seed` replaces the seed of `npm test`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const FILES = [
  'packages/core/test/guarantees/fault-injection/',
  'packages/desk/test/properties/',
  'packages/desk/test/property/decisions',
  'packages/desk/test/property/planted-bugs.test.ts',
  'packages/desk/test/platform/crashes.test.ts',
  'packages/desk/test/platform/fail-over.test.ts',
  'packages/desk/test/platform/decisions.test.ts',
];

const { values } = parseArgs({
  options: { times: { type: 'string', default: '5' }, seed: { type: 'string' } },
});
for (const [name, value] of Object.entries(values)) {
  if (/^[1-9]\d*$/.test(value)) continue;
  console.error(`\`--${name}\` is \`${value}\`. Pass a positive integer.`);
  process.exit(1);
}

const { times, seed } = values;
const { status } = spawnSync(`vitest run ${FILES.join(' ')}`, {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  shell: true,
  stdio: 'inherit',
  env: { ...process.env, SOAK_TIMES: times, ...(seed && { RANDOM_SEED: seed }) },
});
process.exitCode = status ?? 1;
