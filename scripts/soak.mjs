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
  'packages/restate/test/',
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
/** Suites that are executed again on desks with an engine. */
const SUITES_WITH_ENGINE = [
  'packages/desk/test/http/',
  'packages/desk/test/scenarios/',
  'packages/desk/test/platform/http/',
  'packages/desk/test/platform/page/',
  'packages/cli/test/',
  // This one opens desks without an engine.
  '--exclude packages/desk/test/scenarios/engines.test.ts',
];

/** @returns {number} the exit code */
function runTests(/** @type {readonly string[]} */ files, /** @type {NodeJS.ProcessEnv} */ extra) {
  const { status } = spawnSync(`vitest run ${files.join(' ')}`, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, ...extra },
  });
  return status ?? 1;
}

const code = runTests(FILES, { SOAK_TIMES: times, ...(seed && { RANDOM_SEED: seed }) });
process.exitCode = code || runTests(SUITES_WITH_ENGINE, { DESK_ENGINE: 'restate' });
