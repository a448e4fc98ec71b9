import type { Logger } from '../errors/logger.ts';
import type { OnError } from '../errors/report-error.ts';
import type { Store } from '../store/store.ts';
import type { OpenIdOptions } from './open-id-options.ts';

/** Options of {@link signIn}. */
export interface SignInOptions {
  /** The store of the desk. It holds the sessions. */
  readonly store: Store;
  /** The public address of the desk, such as `https://example.com/desk`. Without TLS only on loopback. */
  readonly url: string;
  /** The OpenID provider. Without one, people sign in with sign-in links only. */
  readonly openId?: OpenIdOptions | undefined;
  /** Milliseconds without a request after which a session ends; two hours by default. */
  readonly idleAfter?: number | undefined;
  /** Maximum duration of a session in milliseconds; twelve hours by default. */
  readonly endsAfter?: number | undefined;
  /** Receives log lines about rejected sign-ins; by default they are JSON on standard error. */
  readonly logger?: Logger | undefined;
  /** Receives errors of failed sign-ins that people do not see, instead of the log unless `logger` is given, too. */
  readonly onError?: OnError | undefined;
}
