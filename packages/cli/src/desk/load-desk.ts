import {
  type AnyDeskAgent,
  type Authorize,
  openDesk,
  type ServedDesk,
  type ServedDeskOptions,
} from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { hasMethods, loadModule } from '../modules/load-module.ts';

/** A desk, as it can be served. */
export interface LoadedDesk {
  readonly desk: ServedDesk;
  /** Where in addresses it begins, as far as the file says so. */
  readonly basePath: string;
  /** Whether it is for the file to say who is let in. */
  readonly hasEntrance: boolean;
  /** Ends the use of its store, where the desk was opened here. */
  close(): Promise<void>;
}

/** How a desk is opened where the file says nothing about it. */
export interface Opening {
  readonly onError: (error: unknown) => void;
  /** Gives what lets people in. */
  readonly entrance: () => Authorize;
}

type AnyOptions = ServedDeskOptions<Readonly<Record<string, AnyDeskAgent>>>;

/** Finds the desk in a module, and opens it unless it is open. */
export async function loadDesk(path: string, { onError, entrance }: Opening): Promise<LoadedDesk> {
  const exported = await loadModule(path);
  const found = exported.filter(([, value]) => isDesk(value) || isOptions(value));
  const named = found.find(([name]) => name === 'default') ?? found[0];
  if (named === undefined) {
    throw new UserError(
      `'${path}' exports no desk. Add: export default { store: …, agents: { … } }, or what openDesk gives.`,
    );
  }
  if (named[0] !== 'default' && found.length > 1) {
    const names = found.map(([name]) => name).join(', ');
    throw new UserError(`'${path}' exports several desks (${names}). Make one the default export.`);
  }
  const [, value] = named;
  // Its methods say what it is.
  if (isDesk(value)) {
    return {
      desk: value as ServedDesk,
      basePath: '',
      hasEntrance: true,
      close: async () => {},
    };
  }
  // It has a store and agents; what they are is checked when they are used.
  const options = value as AnyOptions;
  const hasEntrance = options.authorize !== undefined;
  const authorize = options.authorize ?? entrance();
  const desk = openDesk({ onError, ...options, authorize });
  const basePath = options.http?.basePath ?? '';
  return { desk, basePath, hasEntrance, close: () => options.store.close() };
}

function isDesk(value: unknown): boolean {
  return hasMethods(value, ['start', 'answer', 'fetch', 'keepWorking']);
}

function isOptions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return hasMethods(Reflect.get(value, 'store'), ['read', 'write']) && 'agents' in value;
}
