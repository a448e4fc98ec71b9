import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { scratchFolder } from './scratch-folder.ts';

const SOURCES = join(import.meta.dirname, '../programs');

const PROGRAMS = ['worker', 'clerk', 'duelist', 'executor'] as const;
export type Program = (typeof PROGRAMS)[number];

/** The programs of the tests, each bundled into one file so that it starts fast. */
export interface Programs {
  pathOf(name: Program): string;
  /** The compile cache of Node, shared by all processes. */
  readonly compiled: string;
  remove(): void;
}

/** Builds the programs; `replaced` are the sources of programs that another test replaces. */
export async function buildPrograms(
  replaced: Readonly<Partial<Record<Program, string>>> = {},
): Promise<Programs> {
  const folder = scratchFolder('programs');
  await build({
    entryPoints: Object.fromEntries(
      PROGRAMS.map((name) => [name, replaced[name] ?? join(SOURCES, `${name}.ts`)]),
    ),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['holdpoint-source'],
    external: ['pg-native'],
    // Packages that are bundled as CommonJS have no address.
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    logLevel: 'error',
  });
  return {
    compiled: join(folder, 'compiled'),
    pathOf: (name) => join(folder, `${name}.cjs`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
