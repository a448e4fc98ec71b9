import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from 'holdpoint';

/** The exports of a module. */
export type Exports = readonly (readonly [name: string, value: unknown])[];

/** Returns the absolute path of a file; throws if it does not exist. */
export function requireFile(path: string): string {
  const file = resolve(path);
  if (!existsSync(file)) throw new UserError(`There is no file \`${path}\`. Check the path.`);
  return file;
}

/** Imports a JavaScript or TypeScript file. */
export async function loadModule(path: string): Promise<Exports> {
  const file = requireFile(path);
  const isTypeScript = /^\.[cm]?ts$/.test(extname(path));
  if (isTypeScript && process.features.typescript === false) {
    throw new UserError(
      `Node ${process.version} cannot execute the TypeScript file \`${path}\`. Use Node 22.18 or later, or ` +
        'compile the file.',
    );
  }
  const module: unknown = await import(pathToFileURL(file).href);
  return Object.entries(Object(module));
}

/** True if a value has these methods. `instanceof` fails for another copy of the package. */
export function hasMethods(value: unknown, methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return methods.every((method) => typeof Reflect.get(value, method) === 'function');
}
