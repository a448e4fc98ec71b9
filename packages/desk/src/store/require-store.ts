import { UserError } from 'holdpoint';
import { isThenable, kindOf } from '../model/check-keys.ts';
import type { Store } from './store.ts';

const METHODS: readonly (keyof Store)[] = ['write', 'read', 'close'];

/** Throws unless a value is a store. */
export function requireStore(owner: string, store: Store): Store {
  // Programs without types may pass any value.
  const given: unknown = store;
  if (isThenable(given)) {
    throw new UserError(`The \`store\` of ${owner} is a promise. Did you forget \`await\`?`);
  }
  const isObject = typeof given === 'object' && given !== null;
  if (isObject && METHODS.every((name) => typeof Reflect.get(given, name) === 'function')) {
    return store;
  }
  throw new UserError(
    `The \`store\` of ${owner} is ${isObject ? 'not a store' : kindOf(given)}. ` +
      'Pass one that `sqliteStore` or `postgresStore` returned.',
  );
}
