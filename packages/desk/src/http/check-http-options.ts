import { UserError } from 'holdpoint';
import {
  checkFunction,
  checkOptions,
  kindOf,
  type KeysOf,
  shownValue,
} from '../model/check-keys.ts';
import type { EventOptions, HttpOptions } from './desk-app-options.ts';
import type { SignInProvider } from './entrance.ts';
import { RateLimits } from './rate-limits.ts';

/** Options with their defaults. */
export interface CheckedHttpOptions {
  readonly basePath: string;
  readonly maxBytes: number;
  readonly rateLimits: RateLimits;
  readonly events: Readonly<Record<keyof typeof EVENT_DEFAULTS, number>>;
}

const EVENT_DEFAULTS = {
  perPerson: 10,
  perTenant: 500,
  heartbeatMs: 15_000,
  maxStreamMs: 900_000,
  pollMs: 1_000,
};

/** The names of the options. */
export const HTTP_OPTIONS: KeysOf<HttpOptions> = {
  mayDecide: true,
  notRequester: true,
  authorizeAction: true,
  redact: true,
  basePath: true,
  maxBytes: true,
  rateLimits: true,
  events: true,
};

const EVENT_OPTIONS: KeysOf<EventOptions> = {
  perPerson: true,
  perTenant: true,
  heartbeatMs: true,
  maxStreamMs: true,
  pollMs: true,
};

/** Throws unless the value has the methods of a sign-in provider. */
export function checkSignIn(signInProvider: SignInProvider | undefined): void {
  // JavaScript callers can pass anything.
  const given: unknown = signInProvider;
  if (given === undefined) return;
  const isSignInPath =
    typeof given === 'object' &&
    given !== null &&
    ['authorize', 'respond', 'signOut'].every(
      (name) => typeof Reflect.get(given, name) === 'function',
    );
  if (isSignInPath) return;
  throw new UserError(
    `\`signIn\` is ${kindOf(given)}. Pass what \`signIn\` of \`@holdpoint/desk/sign-in\` returned.`,
  );
}

/** Validates options and applies defaults. A limit of `NaN` would be no limit. */
export function checkHttpOptions(options: HttpOptions): CheckedHttpOptions {
  const { basePath = '/', maxBytes = 1_000_000, events = {} } = options;
  // Without it, every caller may take all actions.
  checkFunction('http.authorizeAction', options.authorizeAction);
  checkOptions<EventOptions>('`http.events`', events, EVENT_OPTIONS);
  if (typeof basePath !== 'string' || !/^\/[\w.~/-]*$/.test(basePath)) {
    throw new UserError(
      `\`http.basePath\` is \`${shownValue(basePath)}\`. Pass a path such as \`/desk\`.`,
    );
  }
  const given = Object.entries(events).filter(([, value]) => value !== undefined);
  const all = { ...EVENT_DEFAULTS, ...Object.fromEntries(given) };
  requireWhole('http.maxBytes', maxBytes);
  for (const [name, value] of Object.entries(all)) requireWhole(`http.events.${name}`, value);
  return { basePath, maxBytes, rateLimits: new RateLimits(options.rateLimits), events: all };
}

/** The maximum delay of a timer, in milliseconds. A longer one would fire immediately. */
const MAX = 2_147_483_647;

function requireWhole(name: string, value: number): void {
  if (Number.isInteger(value) && value > 0 && value <= MAX) return;
  throw new UserError(`\`${name}\` is ${shownValue(value)}. Pass a whole number from 1 to ${MAX}.`);
}
