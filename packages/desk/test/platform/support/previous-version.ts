import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '../../../../core/test/support/run-program.ts';
import { scratchFolder } from './scratch-folder.ts';

const MIGRATIONS = 'packages/desk/src/store/sql/migrations.ts';

/** The files of the previous version that a program of a desk needs. */
const FILES = [
  'packages/core/src',
  'packages/core/package.json',
  'packages/desk/src',
  'packages/desk/package.json',
  'packages/desk/test/support/bank.ts',
];

/** The sources of the version before a migration, in a separate folder. */
export interface PreviousVersion {
  readonly commit: string;
  /** Returns the path of a program of the tests, among these sources. */
  pathOf(program: string): string;
}

/**
 * Extracts the sources from before a migration from the history of the repository. The dependencies
 * are those of this version. Throws if the repository has no history, because the test would then
 * test nothing.
 */
export function versionBefore(migration: string): PreviousVersion {
  const added = git('log', '-1', '--format=%H', `-S'${migration}'`, '--', MIGRATIONS).trim();
  if (added === '') {
    throw new Error(
      `The history has no commit that adds migration \`${migration}\`. Commit the migration. If this clone is ` +
        'shallow, run `git fetch --unshallow`.',
    );
  }
  return versionAt(`${added}^1`);
}

/** Extracts the sources of a commit from the history of the repository. */
export function versionAt(revision: string): PreviousVersion {
  const commit = git('rev-parse', '--verify', revision).trim();
  const root = scratchFolder('previous-version');
  const archive = execFileSync('git', ['archive', commit, ...FILES], {
    cwd: repository,
    maxBuffer: 2 ** 28,
  });
  execFileSync('tar', ['-x', '-C', root], { input: archive });
  linkDependencies(root);
  return {
    commit,
    pathOf(program) {
      const path = join('packages/desk/test/platform/programs', program);
      mkdirSync(dirname(join(root, path)), { recursive: true });
      cpSync(join(repository, path), join(root, path));
      return join(root, path);
    },
  };
}

/** Links the installed packages. The packages of the workspace are those of the previous version. */
function linkDependencies(root: string): void {
  const installed = join(repository, 'node_modules');
  const target = join(root, 'node_modules');
  mkdirSync(join(target, '@holdpoint'), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name === 'holdpoint' || name === '@holdpoint') continue;
    symlinkSync(join(installed, name), join(target, name));
  }
  symlinkSync(join(root, 'packages/core'), join(target, 'holdpoint'));
  symlinkSync(join(root, 'packages/desk'), join(target, '@holdpoint/desk'));
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error(
      'The history of the repository cannot be read. This test executes the previous version, so it needs a clone ' +
        'with history. Run it in one: `git fetch --unshallow`.',
      { cause: error },
    );
  }
}
