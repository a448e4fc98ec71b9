import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bench = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
/** The hash of the lock that `node_modules` was installed from. */
const stamp = `${bench}node_modules/.installed-lock`;

/** Installs the frameworks to compare with, unless they are installed already. */
export function install() {
  const problem = tryInstall();
  if (problem === undefined) return;
  console.error(`${problem}; nothing was measured.`);
  process.exit(1);
}

/** Does the same, and returns the problem if the installation failed. */
export function tryInstall() {
  const lock = createHash('sha256')
    .update(readFileSync(`${bench}package-lock.json`))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return undefined;
  console.error('installing the frameworks to compare with (about 880 MB, once)');
  const npm = process.env['npm_execpath'];
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const problem = problemOf(command, args, bench);
  if (problem === undefined) writeFileSync(stamp, lock);
  return problem;
}

/** Builds our packages: what is measured is what users get. */
export function build() {
  console.error('building the packages');
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], root);
  run(process.execPath, ['scripts/bundle.mjs'], root);
}

function run(command, args, cwd) {
  const problem = problemOf(command, args, cwd);
  if (problem === undefined) return;
  console.error(`${problem}; nothing was measured.`);
  process.exit(1);
}

/** Runs a command. Returns the problem if it failed. */
function problemOf(command, args, cwd) {
  // Standard output is for results alone.
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  return status === 0 ? undefined : `\`${[command, ...args].join(' ')}\` failed`;
}
