import { rmSync } from 'node:fs';
import packaged from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { tempFolder } from './temp-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Chromium that `launchBrowser` starts. */
    chromiumPath: string;
  }
}

/**
 * The global setup of tests that need a browser: unpacks Chromium, once for all of them, and removes
 * it at the end. Set `CHROMIUM_PATH` to use another one.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  const own = process.env['CHROMIUM_PATH'];
  if (own) return project.provide('chromiumPath', own);

  const folder = await tempFolder('chromium');
  const remove = () => rmSync(folder.path, { recursive: true, force: true });
  process.once('exit', remove);
  project.provide('chromiumPath', await unpackInto(folder.path));
  return async () => {
    process.off('exit', remove);
    await folder[Symbol.asyncDispose]();
  };
}

/** The package unpacks into the system's folder for temporary files, and only there. */
async function unpackInto(folder: string): Promise<string> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    return await packaged.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

/** Starts a browser; close it at the end of the test. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: inject('chromiumPath'), args: ['--no-sandbox'] });
}
