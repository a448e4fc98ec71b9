import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** The folder of the built page. The path is the same from `src` and from `dist`. */
export const PAGE_FOLDER: string = fileURLToPath(new URL('../../dist/page/', import.meta.url));

/** A file of the page. Its name changes with its contents. */
export interface PageFile {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

/** The page as it was built. */
export interface PageFiles {
  /** The names of the files that the document loads. */
  readonly script: string;
  readonly styles: readonly string[];
  /** By name. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
]);

/** Reads the page from its folder; `undefined` if it is not built. */
export async function readPageFiles(folder: string): Promise<PageFiles | undefined> {
  const entry = await readEntry(folder);
  if (entry === undefined) return undefined;
  const assets = new Map<string, PageFile>();
  for (const name of await readdir(join(folder, 'assets'))) {
    const mediaType = MEDIA_TYPES.get(extname(name));
    if (mediaType === undefined) continue;
    const bytes = new Uint8Array(await readFile(join(folder, 'assets', name)));
    assets.set(name, { mediaType, bytes, gzipped: new Uint8Array(gzipSync(bytes)) });
  }
  return { script: nameOf(entry.file), styles: (entry.css ?? []).map(nameOf), assets };
}

interface ManifestEntry {
  readonly file: string;
  readonly css?: readonly string[];
  readonly isEntry?: boolean;
}

async function readEntry(folder: string): Promise<ManifestEntry | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, 'manifest.json'), 'utf8');
  } catch {
    return undefined;
  }
  // The build of this package wrote it.
  const manifest = JSON.parse(text) as Readonly<Record<string, ManifestEntry>>;
  return Object.values(manifest).find(({ isEntry }) => isEntry === true);
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}
