import type { OnError } from '../errors/report-error.ts';
import type { Store } from '../store/store.ts';
import type { OpenIdOptions } from './open-id-options.ts';

/** How people sign in. */
export interface SignInOptions {
  /** Where sessions are kept: the store of the desk. */
  readonly store: Store;
  /** Where people reach the desk, such as `https://example.com/desk`. Without TLS only on this machine. */
  readonly url: string;
  /** The provider with which they sign in; without one only entry links let people in. */
  readonly openId?: OpenIdOptions | undefined;
  /** How long a session lasts without anything being asked for, in milliseconds; two hours unless given. */
  readonly idleAfter?: number | undefined;
  /** How long it lasts at most, in milliseconds; twelve hours unless given. */
  readonly endsAfter?: number | undefined;
  /** Receives the reasons of failed sign-ins that people do not see. Without it they are printed on standard error. */
  readonly onError?: OnError | undefined;
}
