import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bench = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
/** A file with the hash of the lock that `node_modules` was installed from. */
const stamp = `${bench}node_modules/.installed-lock`;

/** Installs the peers unless they are installed already. Ends the command if that fails. */
export function install() {
  const problem = tryInstall();
  if (problem === undefined) return;
  console.error(`${problem}; nothing was measured.`);
  process.exit(1);
}

/** Installs the peers unless they are installed already. Returns the problem if that fails. */
export function tryInstall() {
  const lock = createHash('sha256')
    .update(readFileSync(`${bench}package-lock.json`))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return undefined;
  console.error('Installing the frameworks to compare with (about 880 MB, once)');
  const npm = process.env['npm_execpath'];
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const problem = problemOf(command, args, bench);
  if (problem === undefined) writeFileSync(stamp, lock);
  return problem;
}

/** Builds the packages, so that the benchmarks measure published code. */
export function build() {
  console.error('Building the packages');
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], root);
  run(process.execPath, ['scripts/bundle.mjs'], root);
}

function run(command, args, cwd) {
  const problem = problemOf(command, args, cwd);
  if (problem === undefined) return;
  console.error(`${problem}; nothing was measured.`);
  process.exit(1);
}

/** Executes a command. Returns the problem if it fails. */
function problemOf(command, args, cwd) {
  // Standard output is for results only.
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  return status === 0 ? undefined : `\`${[command, ...args].join(' ')}\` failed`;
}
