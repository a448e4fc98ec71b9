import type { Logger } from '../errors/logger.ts';
import type { ReportError } from '../errors/report-error.ts';
import type { DeviceCode, DeviceSignIn, DeviceSignInState } from '../http/entrance.ts';
import { HttpProblem } from '../http/http-problem.ts';
import type { Store } from '../store/store.ts';
import { callerOfClaims } from './caller-of-claims.ts';
import type { OpenId } from './open-id.ts';
import type { OpenIdOptions } from './open-id-options.ts';
import type { Sessions } from './sessions.ts';

/** The dependencies of {@link OpenIdDeviceSignIn}. */
export interface OpenIdDeviceDeps {
  readonly openId: OpenIdOptions;
  readonly provider: OpenId;
  readonly store: Store;
  readonly sessions: Sessions;
  readonly onError: ReportError;
  readonly logger: Logger;
}

/**
 * Signs programs in with the device flow. The desk is the client of the provider, so a program needs no secret and
 * receives no token of the provider. The desk stores nothing until a person has signed in.
 */
export class OpenIdDeviceSignIn implements DeviceSignIn {
  readonly #deps: OpenIdDeviceDeps;

  constructor(deps: OpenIdDeviceDeps) {
    this.#deps = deps;
  }

  begin(requestId?: string): Promise<DeviceCode> {
    return this.#withProvider(requestId, () => this.#deps.provider.beginDevice());
  }

  async finish(deviceCode: string, requestId?: string): Promise<DeviceSignInState> {
    const { provider, openId, store, sessions } = this.#deps;
    return this.#withProvider(requestId, async () => {
      const found = await provider.finishDevice(deviceCode);
      if (typeof found === 'string') return { state: found };
      const caller = await callerOfClaims(found, openId);
      const session = await store.write((tx) => sessions.beginForProgram(tx, caller));
      return { state: 'signed-in', ...session, person: caller.person };
    });
  }

  /** Reports errors to the operator. The program receives no details, because they may contain secrets. */
  async #withProvider<Result>(
    requestId: string | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { onError, logger } = this.#deps;
    try {
      return await work();
    } catch (error) {
      const isRejection = error instanceof HttpProblem;
      const reason = isRejection ? error.message : FAILED;
      logger.warn({ event: 'sign-in-rejected', requestId, reason }, 'A sign-in was rejected.');
      if (isRejection) throw error;
      onError(error, { requestId });
      throw new HttpProblem({ status: 503, code: 'sign-in-failed', message: FAILED });
    }
  }
}

const FAILED =
  'The identity provider did not respond, or its response is not valid. Begin again. If it happens again, report the request id to the operator.';
