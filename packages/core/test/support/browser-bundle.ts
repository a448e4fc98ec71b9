import { relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';
import { repository } from './run-program.ts';

/** A program as one file for browsers. */
export interface BrowserBundle {
  readonly code: string;
  readonly size: BundleSize;
  /** The source files, relative to the root of the repository. */
  readonly inputs: readonly string[];
}

/** A size in bytes, plain and compressed. */
export interface BundleSize {
  readonly minified: number;
  readonly gzipped: number;
}

/** A program, as the path of a file or as text. */
type Program = { readonly file: string } | { readonly text: string };

/** Bundles a program with the sources of the packages. */
export async function bundleForBrowser(program: Program): Promise<BrowserBundle> {
  const { outputFiles, metafile } = await build(optionsFor(program));
  const [{ contents, text: code }] = outputFiles as [(typeof outputFiles)[0]];
  return { code, size: sizeOf([contents]), inputs: Object.keys(metafile.inputs) };
}

/**
 * Returns the size of the modules that a browser loads at the start of a program, without modules
 * that are imported on demand.
 */
export async function sizeAtStart(program: Program): Promise<BundleSize> {
  const options = optionsFor(program);
  const { outputFiles, metafile } = await build({ ...options, splitting: true, outdir: 'out' });
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: imported } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') load(imported);
  };
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint !== undefined && !entryPoint.startsWith('packages/')) load(path);
  const files = outputFiles.filter(({ path }) => loaded.has(relative(repository, path)));
  return sizeOf(files.map(({ contents }) => contents));
}

function sizeOf(files: readonly Uint8Array[]): BundleSize {
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
  return {
    minified: sum(files.map((contents) => contents.length)),
    gzipped: sum(files.map((contents) => gzipSync(contents).length)),
  };
}

function optionsFor(program: Program) {
  return {
    ...('file' in program
      ? { entryPoints: [program.file] }
      : { stdin: { contents: program.text, resolveDir: `${repository}packages/core/test` } }),
    absWorkingDir: repository,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2023',
    conditions: ['holdpoint-source'],
    logLevel: 'silent',
  } satisfies BuildOptions;
}
