import { UserError } from 'holdpoint';
import type { HttpOptions } from './desk-app-options.ts';

/** How a desk is served, with everything said. */
export interface CheckedHttpOptions {
  readonly basePath: string;
  readonly mostBytes: number;
  readonly events: Readonly<Record<keyof typeof EVENT_DEFAULTS, number>>;
}

const A_MILLION = 1_000_000;

const EVENT_DEFAULTS = {
  perPerson: 10,
  perTenant: 500,
  heartbeatMs: 15_000,
  longestMs: 900_000,
  pollMs: 1_000,
};

/** Throws for options that would let in more than they seem to: a limit of `NaN` is none. */
export function checkHttpOptions(options: HttpOptions): CheckedHttpOptions {
  const { basePath = '/', mostBytes = A_MILLION, events = {} } = options;
  if (!/^\/[\w.~/-]*$/.test(basePath)) {
    throw new UserError(`basePath is '${basePath}'; give a path such as '/desk'.`);
  }
  const said = Object.entries(events).filter(([, value]) => value !== undefined);
  const all = { ...EVENT_DEFAULTS, ...Object.fromEntries(said) };
  requireWhole('http.mostBytes', mostBytes);
  for (const [name, value] of Object.entries(all)) requireWhole(`http.events.${name}`, value);
  return { basePath, mostBytes, events: all };
}

/** What timers can wait, in milliseconds; beyond it they do not wait at all. */
const MOST = 2_147_483_647;

function requireWhole(name: string, value: number): void {
  if (Number.isInteger(value) && value > 0 && value <= MOST) return;
  throw new UserError(`${name} is ${value}; give a whole number from 1 to ${MOST}.`);
}
