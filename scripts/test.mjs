// Builds the packages, runs the unit and scenario tests, then replays the conformance
// cases. The last line printed is `N passed, M failed`, the sum of all of them.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @typedef {{ passed: number, failed: number }} Tally */

const root = fileURLToPath(new URL('..', import.meta.url));
const report = 'node_modules/.cache/vitest-report.json';

if (!process.env['npm_execpath']) {
  console.error('Run this as `npm test`: npm provides the Node version the project is tested on.');
  process.exit(1);
}

// As in vitest.config.ts, for the compilers and the replays as well.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/compiled`;

const environments = ['live', 'record', 'replay', 'shuffle'];
const tallies = [build(), units(), ...environments.map(conformance)];
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
process.exitCode = failed > 0 ? 1 : 0;
console.log(`\n${passed} passed, ${failed} failed`);

/** @returns {Tally} */
function build() {
  const { status } = run('npm run --silent build');
  return { passed: 0, failed: status === 0 ? 0 : 1 };
}

/** @returns {Tally} */
function units() {
  rmSync(`${root}${report}`, { force: true });
  const { status } = run(
    `vitest run --reporter=default --reporter=json --outputFile.json=${report}`,
  );
  return settle('vitest', status, readReport());
}

/** @returns {Tally | undefined} nothing when there is no report, or one that makes no sense */
function readReport() {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(
      readFileSync(`${root}${report}`, 'utf8'),
    );
    // A file that does not load has no tests of its own to count.
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
 * @returns {Tally}
 */
function conformance(environment) {
  const option = environment === 'live' ? '' : ` -- --environment ${environment}`;
  console.log(`\nconformance, ${environment} environment`);
  const { status, stdout } = run(`npm run --silent conformance${option}`, 'pipe');
  process.stdout.write(stdout);
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
  if (!counted) return complain('gave no count', { passed: 0, failed: 1 });
  if (tally.passed + tally.failed === 0) return complain('ran no test', { passed: 0, failed: 1 });
  if (status !== 0 && tally.failed === 0) {
    return complain(`ended with ${status}`, { passed: tally.passed, failed: 1 });
  }
  return tally;

  /** @param {string} what @param {Tally} worth @returns {Tally} */
  function complain(what, worth) {
    console.error(`${runner} ${what}; this counts as a failure.`);
    return worth;
  }
}

/**
 * @param {string} command
 * @param {'inherit' | 'pipe'} stdout
 */
function run(command, stdout = 'inherit') {
  const { status, stdout: text } = spawnSync(command, {
    cwd: root,
    shell: true,
    stdio: ['ignore', stdout, 'inherit'],
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return { status, stdout: text ?? '' };
}
