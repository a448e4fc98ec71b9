import {
  type AnyDeskAgent,
  type Authorize,
  type Logger,
  type SignInProvider,
  openDesk,
  type ServedDesk,
  type ServedDeskOptions,
} from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { type Exports, hasMethods, loadModule } from '../modules/load-module.ts';

/** A desk that can be served. */
export interface LoadedDesk {
  readonly desk: ServedDesk;
  /** The path that its addresses begin with, if the file sets one. */
  readonly basePath: string;
  /** True if the file calls `openDesk` itself. */
  readonly isOpenedByFile: boolean;
}

/** Options for a desk that the file does not open itself. */
export interface OpenOptions {
  /** Receives log lines, unless the file has a `logger`. */
  readonly logger?: Logger | undefined;
  /** Returns the address of the desk at a base path, if it is known. */
  readonly urlOf: (basePath: string) => string | undefined;
  /** Returns the authorization and the sign-in of the desk. */
  readonly accessOf: (file: DeskFile, url: string | undefined) => DeskAccess;
}

/** The options of a desk file that concern access. */
export type DeskFile = Pick<AnyOptions, 'store' | 'authorize' | 'signIn'>;

/** The authorization and the sign-in of a desk. */
export interface DeskAccess {
  readonly authorize: Authorize | undefined;
  readonly signIn: SignInProvider | undefined;
}

type AnyOptions = ServedDeskOptions<Readonly<Record<string, AnyDeskAgent>>>;

/** Finds the desk in a module, and opens it if the module exports options. */
export async function loadDesk(path: string, open: OpenOptions): Promise<LoadedDesk> {
  const exported = await loadModule(path);
  const found = exported.filter(([, value]) => isDesk(value) || isOptions(value));
  const [name, value] = found.find(([one]) => one === 'default') ?? found[0] ?? [];
  if (name === undefined) {
    throw new UserError(
      `\`${path}\` exports no desk. Add \`export default { store, agents: { … } }\`, or export the result of \`openDesk\`.`,
    );
  }
  if (name !== 'default' && found.length > 1) {
    const names = found.map(([one]) => one).join(', ');
    throw new UserError(
      `\`${path}\` exports several desks (${names}). Make one the default export.`,
    );
  }
  if (isDesk(value)) {
    // Its methods identify it; the file may use another copy of the package.
    const desk = value as ServedDesk;
    return { desk, basePath: '', isOpenedByFile: true };
  }
  // It has a store and agents; `openDesk` validates the rest.
  const options = value as AnyOptions;
  const basePath = options.http?.basePath ?? '';
  const url = options.url ?? open.urlOf(basePath);
  const desk = openDesk({ logger: open.logger, ...options, url, ...open.accessOf(options, url) });
  return { desk, basePath, isOpenedByFile: false };
}

/** Returns whether a module exports a desk, or the options of one. */
export function exportsDesk(exported: Exports): boolean {
  return exported.some(([, value]) => isDesk(value) || isOptions(value));
}

function isDesk(value: unknown): boolean {
  return hasMethods(value, ['start', 'fetch', 'close']);
}

function isOptions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return hasMethods(Reflect.get(value, 'store'), ['read', 'write']) && 'agents' in value;
}
