import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TemplateName } from './templates.ts';
import { UsageError } from './usage-error.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Files that may be in the folder of a new project. */
const HARMLESS = new Set(['.git', '.DS_Store']);

interface Manifest {
  name: string;
  dependencies: Record<string, string>;
}

/** Returns the version of this package. All packages of Holdpoint have the same version. */
export async function ownVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

/** Writes a project into an empty or missing folder, and returns the path of the folder. */
export async function createProject(folder: string, template: TemplateName): Promise<string> {
  const target = resolve(folder);
  await requireEmpty(target, folder);
  await cp(join(ROOT, 'templates', template), target, {
    recursive: true,
    // A checkout may contain installed modules.
    filter: (path) => basename(path) !== 'node_modules',
  });
  // npm does not pack files named `.gitignore`.
  await rename(join(target, '_gitignore'), join(target, '.gitignore'));
  await writeManifest(join(target, 'package.json'), packageName(target), await ownVersion());
  return target;
}

async function requireEmpty(target: string, folder: string): Promise<void> {
  try {
    await mkdir(target, { recursive: true });
    const present = (await readdir(target)).filter((name) => !HARMLESS.has(name));
    if (present.length === 0) return;
    throw new UsageError(
      `The folder \`${folder}\` is not empty: it contains \`${present[0]}\`. Pass a new folder.`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = String(Object(error).code);
    throw new UsageError(`Cannot create the folder \`${folder}\` (${code}). Pass another one.`);
  }
}

async function writeManifest(path: string, name: string, version: string): Promise<void> {
  // The manifest is a file of this package.
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  manifest.name = name;
  for (const dependency of Object.keys(manifest.dependencies)) {
    if (/^(@holdpoint\/|holdpoint$)/.test(dependency)) {
      manifest.dependencies[dependency] = `^${version}`;
    }
  }
  await writeFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Returns the folder's name without the characters that npm rejects in names of packages. */
function packageName(target: string): string {
  const name = basename(target)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'holdpoint-project' : name;
}
