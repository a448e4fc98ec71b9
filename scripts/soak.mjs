// Runs the property and fault-injection tests with more cases than `npm test`:
//
//   npm run soak -- --times 20 --seed 7
//
// `--times` multiplies the number of cases (default: 5). `--seed` replaces the seed of `npm test`. `--only engine`
// executes only the suites of the desk and of the CLI, on desks with an engine; `--only postgres` only the scenarios
// of the desk, on PostgreSQL.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const FILES = [
  'packages/core/test/guarantees/fault-injection/',
  'packages/desk/test/property/decisions',
  'packages/desk/test/property/people.test.ts',
  'packages/desk/test/property/people-bugs.test.ts',
  'packages/desk/test/property/planted-bugs.test.ts',
  'packages/desk/test/platform/crashes.test.ts',
  'packages/desk/test/platform/requests.test.ts',
  'packages/desk/test/platform/fail-over.test.ts',
  'packages/desk/test/platform/decisions.test.ts',
  'packages/restate/test/',
];

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '5' },
    seed: { type: 'string' },
    only: { type: 'string' },
  },
});
const { only, ...numbers } = values;
if (only !== undefined && only !== 'engine' && only !== 'postgres') {
  console.error(`\`--only\` is \`${only}\`. Pass \`engine\` or \`postgres\`, or leave it out.`);
  process.exit(1);
}
for (const [name, value] of Object.entries(numbers)) {
  if (/^[1-9]\d*$/.test(value)) continue;
  console.error(`\`--${name}\` is \`${value}\`. Pass a positive integer.`);
  process.exit(1);
}

const { times, seed } = numbers;
/** Suites that are executed again on desks with an engine. */
const SUITES_WITH_ENGINE = [
  'packages/desk/test/http/',
  'packages/desk/test/scenarios/',
  'packages/desk/test/platform/http/',
  'packages/desk/test/platform/page/',
  'packages/desk/test/platform/people/',
  'packages/cli/',
];

/** The tests open desks with an engine, and so do the processes that they start. */
const WITH_ENGINE = {
  NODE_OPTIONS: `--import=${new URL('../packages/restate/test/support/engine-in-processes.ts', import.meta.url)}`,
};

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

/** The parts of the soak, in their order. */
const PARTS = {
  random: () => runTests(FILES, { SOAK_TIMES: times, ...(seed && { RANDOM_SEED: seed }) }),
  postgres: () => runTests(['packages/desk/test/scenarios/'], { SCENARIOS_ON: 'postgres' }),
  engine: () => runTests(SUITES_WITH_ENGINE, WITH_ENGINE),
};

let code = 0;
for (const [name, run] of Object.entries(PARTS)) {
  if (code === 0 && (only === undefined || only === name)) code = run();
}
process.exitCode = code;
