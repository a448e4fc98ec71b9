import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repository, runNode, runNpm, runTsc, unpack } from './run-program.ts';

/**
 * Builds the package from its source, packs it as npm would publish it, and unpacks that into `into`.
 *
 * `workspace` is an empty folder for everything in between: neither the repository's last build nor
 * another test can get in the way.
 */
export async function installPackedCore(workspace: string, into: string): Promise<void> {
  const core = join(workspace, 'packages/core');
  await mkdir(core, { recursive: true });
  await cp(join(repository, 'tsconfig.base.json'), join(workspace, 'tsconfig.base.json'));
  for (const name of ['package.json', 'tsconfig.json', 'LICENSE', 'src']) {
    await cp(join(repository, 'packages/core', name), join(core, name), { recursive: true });
  }
  await runTsc(['-p', '.'], core);
  await runNode([join(repository, 'scripts/bundle.mjs'), core], { cwd: core });

  const printed = await runNpm(['pack', '--json', '--ignore-scripts'], core);
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  await mkdir(into, { recursive: true });
  await unpack(join(core, filename), into);
}
