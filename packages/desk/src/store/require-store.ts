import { UserError } from 'holdpoint';
import { isThenable, kindOf } from '../model/check-keys.ts';
import type { Store } from './store.ts';

const METHODS: readonly (keyof Store)[] = ['write', 'read', 'close'];

/** Throws unless a value is a store. */
export function requireStore(what: string, store: Store): Store {
  // Programs without types pass anything.
  const given: unknown = store;
  if (isThenable(given)) {
    throw new UserError(`The \`store\` of ${what} is a promise. Did you forget \`await\`?`);
  }
  const isStore =
    typeof given === 'object' &&
    given !== null &&
    METHODS.every((name) => typeof Reflect.get(given, name) === 'function');
  if (isStore) return store;
  throw new UserError(
    `The \`store\` of ${what} is ${isObject(given) ? 'not a store' : kindOf(given)}. ` +
      'Pass one that `sqliteStore`, `postgresStore` or `memoryStore` returned.',
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
