import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from 'holdpoint';

/** What a module exports, by name. */
export type Exports = readonly (readonly [name: string, value: unknown])[];

/** Imports a file, JavaScript or TypeScript. */
export async function loadModule(path: string): Promise<Exports> {
  const file = resolve(path);
  if (!existsSync(file)) throw new UserError(`There is no file '${path}'.`);
  requireRunnable(path);
  const module: unknown = await import(pathToFileURL(file).href);
  return Object.entries(Object(module));
}

function requireRunnable(path: string): void {
  const isTypeScript = /^\.[cm]?ts$/.test(extname(path));
  if (!isTypeScript || process.features.typescript !== false) return;
  throw new UserError(
    `This Node (${process.version}) does not run TypeScript files such as '${path}'. Use Node 22.18 or ` +
      'later, or compile the file first.',
  );
}

/** Whether a value has these methods. What counts is what it can do: the file may have another copy of a package. */
export function hasMethods(value: unknown, methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return methods.every((method) => typeof Reflect.get(value, method) === 'function');
}
