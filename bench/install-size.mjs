/**
 * Measures the smallest install that executes the loop with one provider.
 *
 *   node bench/install-size.mjs [adapter…]
 *
 * Versions are those of package.json. Providers that it does not list are installed in their newest
 * version.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADAPTERS } from './adapters/registry.mjs';
import { asText } from './report/table.mjs';

const bench = fileURLToPath(new URL('.', import.meta.url));
const core = fileURLToPath(new URL('../packages/core', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(bench, 'package.json'), 'utf8'));

const names = process.argv.slice(2);
const rows = (names.length > 0 ? names : Object.keys(ADAPTERS)).map(sizeOf);
console.log(asText([['adapter', 'packages', 'files', 'KB', 'KB of JavaScript'], ...rows], 1));

function sizeOf(adapter) {
  const folder = join(bench, 'installs', adapter);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const wanted = ADAPTERS[adapter].packages.map((name) => specifierOf(name, folder));
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], folder);
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const files = filesIn(join(folder, 'node_modules'));
  const scripts = files.filter(({ path }) => /\.[cm]?js$/.test(path));
  const counts = [Object.keys(packages).length - 1, files.length, kilobytes(files)];
  return [adapter, ...counts.map(String), String(kilobytes(scripts))];
}

function specifierOf(name, folder) {
  if (name !== 'holdpoint') return dependencies[name] ? `${name}@${dependencies[name]}` : name;
  // Measures the package that npm would publish.
  return join(folder, npm(['pack', '--silent', '--pack-destination', folder], core).trim());
}

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, size: statSync(path).size }));
}

function kilobytes(files) {
  return Math.round(files.reduce((sum, { size }) => sum + size, 0) / 1024);
}
