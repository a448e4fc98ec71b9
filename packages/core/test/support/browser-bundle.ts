import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { repository } from './run-program.ts';

/** A program as one file for browsers. */
export interface BrowserBundle {
  readonly code: string;
  /** Its size in bytes, as it is and as it is sent. */
  readonly size: { readonly minified: number; readonly gzipped: number };
  /** The files it was made from, from the root of the repository. */
  readonly inputs: readonly string[];
}

/** Bundles a program, given as a file's path or as text, from the source of our packages. */
export async function bundleForBrowser(
  entry: { readonly file: string } | { readonly text: string },
): Promise<BrowserBundle> {
  const { outputFiles, metafile } = await build({
    ...('file' in entry
      ? { entryPoints: [entry.file] }
      : { stdin: { contents: entry.text, resolveDir: `${repository}packages/core/test` } }),
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
  });
  const [{ contents, text: code }] = outputFiles as [(typeof outputFiles)[0]];
  return {
    code,
    size: { minified: contents.length, gzipped: gzipSync(contents).length },
    inputs: Object.keys(metafile.inputs),
  };
}
