import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { repository, runNpm } from '../support/run-program.ts';

const PACKAGES = {
  holdpoint: 'core',
  '@holdpoint/desk': 'desk',
  '@holdpoint/cli': 'cli',
  '@holdpoint/restate': 'restate',
  'create-holdpoint': 'create-holdpoint',
} as const;

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly engines: unknown;
  readonly publishConfig?: unknown;
}

/** A package as npm would publish it. */
interface Published {
  readonly version: string;
  readonly files: readonly { readonly path: string }[];
}

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json')));

describe('npm publish --dry-run', () => {
  let published: Readonly<Record<string, Published>>;

  beforeAll(async () => {
    const folders = Object.values(PACKAGES).flatMap((name) => ['-w', join('packages', name)]);
    const args = ['publish', '--dry-run', '--ignore-scripts', '--json', ...folders];
    published = JSON.parse(await runNpm(args, repository));
  });

  it('publishes all packages, in one version', () => {
    expect(Object.keys(published).toSorted()).toEqual(Object.keys(PACKAGES).toSorted());
    const { version } = manifestOf('packages/core');
    for (const one of Object.values(published)) expect(one.version).toBe(version);
  });

  it.each(Object.entries(PACKAGES))(
    '%s has its files, its licence and provenance',
    (name, folder) => {
      const paths = published[name]?.files.map(({ path }) => path) ?? [];
      const manifest = manifestOf(join('packages', folder));

      expect(paths).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE']));
      expect(
        paths
          .filter((path) => /\.test(-d)?\.tsx?$|tsbuildinfo/.test(path))
          .filter((path) => !path.startsWith('templates/')),
      ).toEqual([]);
      expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
      expect(manifest.license).toBe('MIT');
    },
  );

  it('requires the Node version that the repository requires, and the docs state it', () => {
    const { engines } = manifestOf('.');
    for (const folder of Object.values(PACKAGES)) {
      expect(manifestOf(join('packages', folder)).engines).toEqual(engines);
    }

    const [, version = 'none'] = /"node": ">=([\d.]+)"/.exec(read('package.json')) ?? [];
    expect(read('docs/stability.md')).toContain(`Node ${version} or later`);
  });
});
