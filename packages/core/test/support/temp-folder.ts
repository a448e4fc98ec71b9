import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is deleted when it is disposed of. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates an empty folder outside of the repository. Dispose of it at the end of the test. */
export async function tempFolder(purpose: string): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), `holdpoint-${purpose}-`));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
