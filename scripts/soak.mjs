// Runs the tests that do the same again and again, and lets them do more of it than `npm test` does:
//
//   npm run soak -- --times 20 --seed 7
//
// Five times as much unless told otherwise, and the cases that `npm test` has unless given a seed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const FILES = [
  'packages/core/test/guarantees/',
  'packages/desk/test/properties/',
  'packages/desk/test/property/decisions',
  'packages/desk/test/platform/crashes.test.ts',
  'packages/desk/test/platform/decisions.test.ts',
];

const { values } = parseArgs({
  options: { times: { type: 'string', default: '5' }, seed: { type: 'string' } },
});
for (const [name, value] of Object.entries(values)) {
  if (/^[1-9]\d*$/.test(value)) continue;
  console.error(`--${name} is ${value}; give a whole number above 0.`);
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
