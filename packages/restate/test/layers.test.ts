import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** The folders of `src/`, lowest first: each imports only itself and folders before it. */
const LAYERS = ['options', 'environment', 'engine'];
/** The packages that sources import, by folder. */
const PACKAGES =
  /^(node:[\w/]+|holdpoint(\/agents)?|@holdpoint\/desk|@restatedev\/restate-sdk(\/fetch)?)$/;

it('keeps the layers of the package, and imports only its peers', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).filter((path) => path !== 'index.ts');
  const problems = files.flatMap((path) => {
    const text = readFileSync(join(SRC, path), 'utf8');
    const layer = LAYERS.indexOf(path.split('/')[0] ?? '');
    const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);
    return imported.filter((name) => {
      if (!name.startsWith('.')) return !PACKAGES.test(name);
      const target = posix.join(posix.dirname(path), name);
      return layer < 0 || LAYERS.indexOf(target.split('/')[0] ?? '') > layer;
    });
  });

  expect(files.length).toBeGreaterThan(8);
  expect(problems).toEqual([]);
});
