// Builds the packages. Meanwhile it replays the conformance cases, then runs the unit, scenario and platform tests. The
// last line of the output is `N passed, M failed` for all of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** @typedef {{ passed: number, failed: number }} Tally */

const root = fileURLToPath(new URL('..', import.meta.url));
const report = 'node_modules/.cache/vitest-report.json';

if (!process.env['npm_execpath']) {
  console.error(
    'This Node version may be untested. Use `npm test`, which provides the tested version.',
  );
  process.exit(1);
}

// vitest.config.ts also sets this. It must apply to the compilers and the replays, too.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/compiled`;

/**
 * The lines about failed conformance cases. They are repeated at the end of the output.
 *
 * @type {string[]}
 */
const failedCases = [];

const environments = ['live', 'record', 'replay', 'shuffle'];
// Tests need sources and the page, so they do not wait for the compiler, which uses one core.
const packages = build('packages');
const tallies = await Promise.all([build('page'), ...environments.map(conformance)]);
tallies.push(await units(), await packages);
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
process.exitCode = failed > 0 ? 1 : 0;
for (const line of failedCases) console.log(line);
console.log(`\n${passed} passed, ${failed} failed`);

/**
 * @param {'packages' | 'page'} part
 * @returns {Promise<Tally>}
 */
async function build(part) {
  const { status } = await run(`npm run --silent build:${part}`);
  return { passed: 0, failed: status === 0 ? 0 : 1 };
}

/** @returns {Promise<Tally>} */
async function units() {
  rmSync(`${root}${report}`, { force: true });
  const { status } = await run(
    `vitest run --reporter=default --reporter=json --outputFile.json=${report}`,
  );
  return settle('vitest', status, readReport());
}

/** @returns {Tally | undefined} the counts, or `undefined` if there is no valid report */
function readReport() {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(
      readFileSync(`${root}${report}`, 'utf8'),
    );
    // A file that does not load has no tests to count.
    const broken = testResults.filter(
      (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
        file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    ).length;
    return { passed: numPassedTests, failed: numFailedTests + broken };
  } catch (error) {
    console.error(`Cannot read the report of vitest: ${error}`);
    return undefined;
  }
}

/**
 * @param {string} environment
 * @returns {Promise<Tally>}
 */
async function conformance(environment) {
  const option = environment === 'live' ? '' : ` -- --environment ${environment}`;
  const { status, stdout } = await run(`npm run --silent conformance${option}`, 'pipe');
  process.stdout.write(`\nconformance, ${environment} environment\n${stdout}`);
  for (const [line] of stdout.matchAll(/^FAILED .*$/gm))
    failedCases.push(`${environment}: ${line}`);
  const summary = [...stdout.matchAll(/^(\d+) passed, (\d+) failed, \d+ unsupported\s*$/gm)].at(-1);
  const tally = summary && { passed: Number(summary[1]), failed: Number(summary[2]) };
  return settle(`conformance (${environment})`, status, tally);
}

/**
 * Validates the count of a runner. Returns one failure if there is no count, if no test ran, or if the
 * runner failed without naming a failed test.
 *
 * @param {string} runner
 * @param {number | null} status
 * @param {Tally | undefined} tally
 * @returns {Tally}
 */
function settle(runner, status, tally) {
  const counted = tally && Number.isInteger(tally.passed) && Number.isInteger(tally.failed);
  if (!counted) return reportFailure('printed no count', { passed: 0, failed: 1 });
  if (tally.passed + tally.failed === 0)
    return reportFailure('executed no test', { passed: 0, failed: 1 });
  if (status !== 0 && tally.failed === 0) {
    return reportFailure(`ended with ${status}`, { passed: tally.passed, failed: 1 });
  }
  return tally;

  /** @param {string} what @param {Tally} tallied @returns {Tally} */
  function reportFailure(what, tallied) {
    console.error(`${runner} ${what}; this counts as a failure.`);
    return tallied;
  }
}

/**
 * @param {string} command
 * @param {'inherit' | 'pipe'} stdout
 */
async function run(command, stdout = 'inherit') {
  const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', stdout, 'inherit'] });
  const ended = once(child, 'close');
  const printed = child.stdout === null ? '' : await text(child.stdout);
  const [status] = await ended;
  return { status: /** @type {number | null} */ (status), stdout: printed };
}
