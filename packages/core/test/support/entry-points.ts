import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './run-program.ts';

const folder = join(repository, 'packages/core');

/** Returns the source file of every entry point of the package, by the name that programs import. */
export function readEntryPoints(): ReadonlyMap<string, string> {
  // The manifest is part of the repository, and its exports have this form.
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { 'holdpoint-source': string }>;
  };
  return new Map(
    Object.entries(exports).flatMap(([key, target]) =>
      typeof target === 'string'
        ? []
        : [[`holdpoint${key.slice(1)}`, join(folder, target['holdpoint-source'])] as const],
    ),
  );
}
