import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { repository, runNode, runNpm, runTsc, unpack } from './run-program.ts';

/**
 * Builds the package from its source, packs it as npm would publish it, and unpacks that into
 * `into`.
 *
 * `workspace` is an empty folder for intermediate files, so neither the repository's last build nor
 * another test interferes.
 */
export async function installPackedCore(workspace: string, into: string): Promise<void> {
  const core = await copyPackage('core', workspace);
  await compile(core);
  await runNode([join(repository, 'scripts/bundle.mjs'), core], { cwd: core });
  await pack(core, into);
}

/**
 * Packs a package that depends on the core, in a workspace that contains its packed dependencies.
 */
export async function installPacked(
  name: 'desk' | 'cli' | 'create-holdpoint',
  workspace: string,
  into: string,
): Promise<void> {
  const folder = await copyPackage(name, workspace);
  await linkModules(workspace);
  await linkOwnModules(name, folder);
  await compile(folder);
  await pack(folder, into);
}

/** The packages of the repository, by their folders in a workspace. */
const WORKSPACE_PACKAGES = { holdpoint: 'core', '@holdpoint/desk': 'desk' } as const;

/**
 * Links the modules of the repository. Its own packages are copies, so no other build interferes.
 */
async function linkModules(workspace: string): Promise<void> {
  const modules = join(workspace, 'node_modules');
  if (existsSync(modules)) return;
  await mkdir(join(modules, '@holdpoint'), { recursive: true });
  for (const [name, folder] of Object.entries(WORKSPACE_PACKAGES)) {
    await symlink(join(workspace, 'packages', folder), join(modules, name));
  }
  for (const name of await readdir(join(repository, 'node_modules'))) {
    if (existsSync(join(modules, name))) continue;
    if (!/^\.|^@?holdpoint$/.test(name)) {
      await symlink(join(repository, 'node_modules', name), join(modules, name));
    }
  }
}

/** Returns the folder of a dependency in the version that a workspace package uses. */
export function dependencyOf(name: 'desk' | 'cli', dependency: string): string {
  const own = join(repository, 'packages', name, 'node_modules', dependency);
  return existsSync(own) ? own : join(repository, 'node_modules', dependency);
}

/** Links the modules that npm installed in a package's own folder because of version conflicts. */
async function linkOwnModules(name: string, folder: string): Promise<void> {
  const own = join(repository, 'packages', name, 'node_modules');
  if (existsSync(own)) await symlink(own, join(folder, 'node_modules'));
}

async function copyPackage(name: string, workspace: string): Promise<string> {
  const copy = join(workspace, 'packages', name);
  await mkdir(copy, { recursive: true });
  await cp(join(repository, 'tsconfig.base.json'), join(workspace, 'tsconfig.base.json'));
  for (const file of ['package.json', 'tsconfig.json', 'LICENSE', 'src', 'templates']) {
    const from = join(repository, 'packages', name, file);
    if (existsSync(from)) await cp(from, join(copy, file), { recursive: true });
  }
  return copy;
}

/** Writes modules and declarations without a check of the types, which `npm run types` does. */
async function compile(folder: string): Promise<void> {
  await runTsc(['-p', '.', '--noCheck'], folder);
}

async function pack(folder: string, into: string): Promise<void> {
  const printed = await runNpm(['pack', '--json', '--ignore-scripts'], folder);
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  await mkdir(into, { recursive: true });
  await unpack(join(folder, filename), into);
}
