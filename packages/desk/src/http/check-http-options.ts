import { UserError } from 'holdpoint';
import { checkOptions, kindOf, type KeysOf } from '../model/check-keys.ts';
import type { EventOptions, HttpOptions } from './desk-app-options.ts';
import type { Entrance } from './entrance.ts';

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

/** The options of a desk over HTTP. */
export const HTTP_OPTIONS: KeysOf<HttpOptions> = {
  mayAnswer: true,
  notRequester: true,
  authorizeAction: true,
  redact: true,
  basePath: true,
  mostBytes: true,
  events: true,
};

const EVENT_OPTIONS: KeysOf<EventOptions> = {
  perPerson: true,
  perTenant: true,
  heartbeatMs: true,
  longestMs: true,
  pollMs: true,
};

/** Throws unless an entrance is one. */
export function checkEntrance(entrance: Entrance | undefined): void {
  // Programs without types pass anything.
  const given: unknown = entrance;
  if (given === undefined) return;
  const isEntrance =
    typeof given === 'object' &&
    given !== null &&
    ['authorize', 'respond', 'signOut'].every(
      (name) => typeof Reflect.get(given, name) === 'function',
    );
  if (isEntrance) return;
  throw new UserError(
    `\`entrance\` is ${kindOf(given)}. Pass what \`signIn\` of \`@holdpoint/desk/sign-in\` returned.`,
  );
}

/** Throws for options that would let in more than they seem to: a limit of `NaN` is none. */
export function checkHttpOptions(options: HttpOptions): CheckedHttpOptions {
  const { basePath = '/', mostBytes = A_MILLION, events = {} } = options;
  checkOptions<EventOptions>('`http.events`', events, EVENT_OPTIONS);
  if (typeof basePath !== 'string' || !/^\/[\w.~/-]*$/.test(basePath)) {
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
