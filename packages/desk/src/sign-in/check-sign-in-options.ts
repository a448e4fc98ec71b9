import { UserError } from 'holdpoint';
import { checkName } from '../desk/check-name.ts';
import { checkWhole } from '../model/check-whole.ts';
import { requireOneOf } from '../desk/method-options.ts';
import { checkLogger } from '../errors/logger.ts';
import {
  checkFunction,
  checkOptions,
  checkSwitch,
  kindOf,
  requireText,
} from '../model/check-keys.ts';
import { requireStore } from '../store/require-store.ts';
import type { OpenIdOptions } from './open-id-options.ts';
import type { SignInOptions } from './sign-in-options.ts';

/** Validates the options of `signIn`. An ignored option or a limit of `NaN` would weaken the sign-in. */
export function checkSignInOptions(options: SignInOptions): void {
  checkOptions<SignInOptions>('`signIn`', options, {
    store: true,
    url: true,
    openId: true,
    idleAfter: true,
    endsAfter: true,
    logger: true,
    onError: true,
  });
  const { store, openId, idleAfter, endsAfter, logger, onError } = options;
  requireStore('`signIn`', store);
  if (idleAfter !== undefined) checkWhole('idleAfter', idleAfter);
  if (endsAfter !== undefined) checkWhole('endsAfter', endsAfter);
  checkFunction('onError', onError);
  checkLogger(logger);
  if (openId !== undefined) checkOpenId(openId);
}

function checkOpenId(openId: OpenIdOptions): void {
  checkOptions<OpenIdOptions>('`openId`', openId, {
    issuer: true,
    clientId: true,
    clientSecret: true,
    clientAuth: true,
    scope: true,
    deviceFlow: true,
    rolesClaim: true,
    personOf: true,
    tenant: true,
  });
  for (const name of ['issuer', 'clientId'] as const) {
    const value: unknown = openId[name];
    if (typeof value === 'string' && value !== '') continue;
    throw new UserError(`\`openId.${name}\` is ${kindOf(value)}. Pass a text.`);
  }
  for (const name of ['clientSecret', 'scope', 'rolesClaim'] as const) {
    if (openId[name] !== undefined) requireText(`\`openId.${name}\``, openId[name]);
  }
  const { clientAuth, tenant } = openId;
  if (clientAuth !== undefined) requireOneOf('openId.clientAuth', clientAuth, ['basic', 'post']);
  if (tenant !== undefined && typeof tenant !== 'function') checkName('openId.tenant', tenant);
  checkSwitch('openId.deviceFlow', openId.deviceFlow);
  checkFunction('openId.personOf', openId.personOf);
}
