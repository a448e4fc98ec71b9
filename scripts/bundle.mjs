// Writes the JavaScript of the core package: a module per entry point, and one module with their
// shared code. tsc writes the declarations. The code is not minified, functions and classes keep
// their names, and the source maps refer to the sources in the package.
// `docs/decisions/0028-a-smaller-api.md` explains why the package does not ship the output of tsc.
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// The package, or the copy in the first argument.
const folder = process.argv[2] ?? fileURLToPath(new URL('../packages/core', import.meta.url));
const { exports } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));

/** @type {Record<string, string>} The source of each entry point, by its output path without extension. */
const sources = {};
for (const entry of Object.values(exports)) {
  if (typeof entry === 'string') continue;
  const out = entry.default.replace('./dist/', '').replace(/\.js$/, '');
  sources[out] = `${folder}/${entry['holdpoint-source']}`;
}

/**
 * Makes every entry point and every module that is loaded later import the root entry, whose code
 * is then one shared module. Otherwise esbuild writes a module for each combination of entry points
 * that share code. Importing these modules takes more than twice as long.
 *
 * @type {import('esbuild').Plugin}
 */
const importRootEntry = {
  name: 'import-root-entry',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^entry:/ }, ({ path }) => ({
      path: sources[path.slice('entry:'.length)] ?? '',
      namespace: 'entry',
    }));
    onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import'
        ? { path: resolve(resolveDir, path), namespace: 'entry' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
      contents: `import ${JSON.stringify(sources.index)}; export * from ${JSON.stringify(path)};`,
      resolveDir: folder,
    }));
  },
};

rmSync(`${folder}/dist/shared`, { recursive: true, force: true });
await build({
  entryPoints: Object.fromEntries(Object.keys(sources).map((out) => [out, `entry:${out}`])),
  plugins: [importRootEntry],
  // `sideEffects: false` would drop the import of the root entry.
  ignoreAnnotations: true,
  outdir: `${folder}/dist`,
  bundle: true,
  splitting: true,
  chunkNames: 'shared/[name]-[hash]',
  format: 'esm',
  platform: 'neutral',
  packages: 'external',
  target: 'es2023',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
});
