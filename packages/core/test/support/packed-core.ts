import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { repository, runNode, runNpm, runTsc, unpack } from './run-program.ts';

/**
 * Builds the package from its source, packs it as npm would publish it, and unpacks that into `into`.
 *
 * `workspace` is an empty folder for everything in between: neither the repository's last build nor
 * another test can get in the way.
 */
export async function installPackedCore(workspace: string, into: string): Promise<void> {
  const core = await copyPackage('core', workspace);
  await runTsc(['-p', '.'], core);
  await runNode([join(repository, 'scripts/bundle.mjs'), core], { cwd: core });
  await pack(core, into);
}

/** The same for the command line, in a workspace in which the core was packed. */
export async function installPackedCli(workspace: string, into: string): Promise<void> {
  const cli = await copyPackage('cli', workspace);
  await symlink(join(repository, 'node_modules'), join(workspace, 'node_modules'));
  await runTsc(['-p', '.'], cli);
  await pack(cli, into);
}

async function copyPackage(name: string, workspace: string): Promise<string> {
  const copy = join(workspace, 'packages', name);
  await mkdir(copy, { recursive: true });
  await cp(join(repository, 'tsconfig.base.json'), join(workspace, 'tsconfig.base.json'));
  for (const file of ['package.json', 'tsconfig.json', 'LICENSE', 'src']) {
    await cp(join(repository, 'packages', name, file), join(copy, file), { recursive: true });
  }
  return copy;
}

async function pack(folder: string, into: string): Promise<void> {
  const printed = await runNpm(['pack', '--json', '--ignore-scripts'], folder);
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  await mkdir(into, { recursive: true });
  await unpack(join(folder, filename), into);
}
