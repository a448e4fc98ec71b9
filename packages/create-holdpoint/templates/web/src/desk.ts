import { openDesk, type Store } from '@holdpoint/desk';
import { signIn } from '@holdpoint/desk/sign-in';
import { agent } from './agent.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Opens the desk: it stores parked runs, collects decisions and resumes runs. */
export function createDesk(store: Store, url: string) {
  // People sign in with links. Pass `openId` to use an identity provider.
  const signInProvider = signIn({ store, url });
  const desk = openDesk({
    store,
    url,
    agents: { support: { agent } },
    // Only managers may approve refunds, and never for their own request.
    approvers: { refund: { roles: ['manager'], notRequester: true } },
    expiresAfter: () => 7 * DAY_MS,
    signIn: signInProvider,
  });
  return { desk, signInProvider };
}

export type AppDesk = ReturnType<typeof createDesk>['desk'];
