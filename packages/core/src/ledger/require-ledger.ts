import { invalidOption } from '../errors/check-options.ts';
import type { Ledger } from './ledger.ts';

const METHODS: Readonly<Record<Exclude<keyof Ledger, 'requireActive'>, true>> = {
  retainedSince: true,
  claim: true,
  extend: true,
  release: true,
  settle: true,
  doubt: true,
  record: true,
  resolve: true,
  read: true,
};

/** Throws a `UserError` unless the option `ledger` has all methods of a ledger. */
export function requireLedger(owner: string, ledger: unknown): void {
  const isObject = typeof ledger === 'object' && ledger !== null;
  // Every object may have any member. Each is validated before it is used.
  const members = (isObject ? ledger : {}) as Readonly<Record<string, unknown>>;
  const missing = Object.keys(METHODS).find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  const expected = `a ledger, such as a \`MemoryLedger\`. This value has no method \`${missing}\``;
  throw invalidOption(owner, 'ledger', ledger, expected);
}
