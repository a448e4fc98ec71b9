import { userInfo } from 'node:os';
import { UserError } from 'holdpoint';
import { UsageError } from '../commands/command.ts';

/** Where a desk is, and who asks. */
export type Where =
  | { readonly kind: 'url'; readonly url: string; readonly token: string | undefined }
  | {
      readonly kind: 'store';
      readonly path: string;
      readonly by: string;
      readonly tenant: string;
      readonly roles?: readonly string[] | undefined;
    };

/** What was said about it. */
export interface Said {
  readonly url?: string | undefined;
  readonly store?: string | undefined;
  readonly by?: string | undefined;
  readonly tenant?: string | undefined;
  readonly role?: readonly string[] | undefined;
}

/** Finds out where the desk is. What is typed counts more than what the environment says. */
export function whereOf(said: Said, environment: NodeJS.ProcessEnv): Where {
  const { url, store, by, tenant = DEFAULT_TENANT, role: roles } = said;
  if (url !== undefined && store !== undefined) {
    throw new UsageError('A desk is at --url or in --store, not both.');
  }
  if (store !== undefined) {
    return {
      kind: 'store',
      path: store,
      by: by ?? userOfMachine(),
      tenant,
      ...(roles && { roles }),
    };
  }
  const address = url ?? environment['HOLDPOINT_URL'];
  if (!address) throw new UserError(NOWHERE);
  if (by !== undefined || said.tenant !== undefined || roles !== undefined) {
    throw new UsageError(
      '--by, --role and --tenant go with --store: a desk that is served goes by the token.',
    );
  }
  return { kind: 'url', url: requireAddress(address), token: environment['HOLDPOINT_TOKEN'] };
}

/** Whose runs a desk has unless something else is said. */
export const DEFAULT_TENANT = 'default';

const NOWHERE =
  'Missing address of the desk. Pass `--url` or set `HOLDPOINT_URL` for a desk that is served (`holdpoint desk`), ' +
  'or pass `--store` for one in a SQLite file on this machine.';

function requireAddress(address: string): string {
  const isHttp = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (isHttp) return address;
  throw new UsageError(`'${address}' is no address such as http://127.0.0.1:4680.`);
}

/** The name that the machine has for whoever runs this. */
export function userOfMachine(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UserError('This machine does not know your name. Say who you are with --by.');
  }
}
