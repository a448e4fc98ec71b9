import {
  type AnyDeskAgent,
  type Authorize,
  type Entrance,
  openDesk,
  type ServedDesk,
  type ServedDeskOptions,
  type OnError,
} from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { hasMethods, loadModule } from '../modules/load-module.ts';

/** A desk, as it can be served. */
export interface LoadedDesk {
  readonly desk: ServedDesk;
  /** Where in addresses it begins, as far as the file says so. */
  readonly basePath: string;
  /** Whether the file has opened it, and said who is let in. */
  readonly isTheirs: boolean;
  /** Ends the use of its store, where the desk was opened here. */
  close(): Promise<void>;
}

/** How a desk is opened where the file says nothing about it. */
export interface Opening {
  readonly onError: OnError;
  /** Gives where people reach it, by where it begins, if that is known. */
  readonly urlOf: (basePath: string) => string | undefined;
  /** Says who is let in, by what the file says of it. */
  readonly letIn: (options: DeskFile, url: string | undefined) => LettingIn;
}

/** What a desk file says that is to do with people who come in. */
export type DeskFile = Pick<AnyOptions, 'store' | 'authorize' | 'entrance'>;

/** How people come in. */
export interface LettingIn {
  readonly authorize: Authorize | undefined;
  readonly entrance: Entrance | undefined;
}

type AnyOptions = ServedDeskOptions<Readonly<Record<string, AnyDeskAgent>>>;

/** Finds the desk in a module, and opens it unless it is open. */
export async function loadDesk(path: string, opening: Opening): Promise<LoadedDesk> {
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
      isTheirs: true,
      close: async () => {},
    };
  }
  // It has a store and agents; what they are is checked when they are used.
  const options = value as AnyOptions;
  const { onError, urlOf, letIn } = opening;
  const basePath = options.http?.basePath ?? '';
  const url = options.url ?? urlOf(basePath);
  const desk = openDesk({ onError, ...options, url, ...letIn(options, url) });
  return { desk, basePath, isTheirs: false, close: () => options.store.close() };
}

function isDesk(value: unknown): boolean {
  return hasMethods(value, ['start', 'answer', 'fetch', 'keepWorking']);
}

function isOptions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return hasMethods(Reflect.get(value, 'store'), ['read', 'write']) && 'agents' in value;
}
