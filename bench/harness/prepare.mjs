import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bench = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
/** The hash of the lock that `node_modules` was installed from. */
const stamp = `${bench}node_modules/.installed-lock`;

/** Installs what is compared with, unless it is there already. */
export function install() {
  const lock = createHash('sha256')
    .update(readFileSync(`${bench}package-lock.json`))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('installing the frameworks to compare with (about 640 MB, once)');
  const npm = process.env['npm_execpath'];
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  run(command, [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], bench);
  writeFileSync(stamp, lock);
}

/** Builds our packages: what is measured is what users get. */
export function build() {
  console.error('building the packages');
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], root);
  run(process.execPath, ['scripts/bundle.mjs'], root);
}

function run(command, args, cwd) {
  // Standard output is for results alone.
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  if (status === 0) return;
  console.error(`\`${[command, ...args].join(' ')}\` failed; nothing was measured.`);
  process.exit(1);
}
