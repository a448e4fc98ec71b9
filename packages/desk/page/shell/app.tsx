import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { inboxClient } from '../client/inbox-client.ts';
import { createQueryClient } from '../client/queries.ts';
import type { Me } from '../client/types.ts';
import { discardDrafts } from '../decision/stored-draft.ts';
import { liveUpdates } from '../live/live-updates.ts';
import { useAnnouncer } from './announcer.tsx';
import { Failure } from './failure.tsx';
import { InboxContext } from './inbox-context.ts';
import { useRoute } from './route.ts';
import { Shell } from './shell.tsx';
import { SignInPage, SignInPrompt } from './sign-in-prompt.tsx';

/** The inbox of a desk. */
export function App({ root }: { readonly root: URL }): ReactNode {
  const [signedOut, setSignedOut] = useState<DeskClientError>();
  const [me, setMe] = useState<Me>();
  const [error, setError] = useState<unknown>();
  const cache = useMemo(createQueryClient, []);
  const client = useMemo(() => inboxClient(root, setSignedOut), [root]);
  const live = useMemo(() => liveUpdates(client, cache), [client, cache]);
  const navigation = useRoute(`${root.pathname}inbox`);
  const { announce, region } = useAnnouncer();

  /** Loads the signed-in person. The page of another person is loaded anew, without any draft. */
  const signIn = async () => {
    try {
      const found = await client.me();
      if (me !== undefined && (found.person.id !== me.person.id || found.tenant !== me.tenant)) {
        discardDrafts();
        return location.reload();
      }
      setMe(found);
      setSignedOut(undefined);
      setError(undefined);
    } catch (problem) {
      setError(problem);
    }
  };
  // oxlint-disable-next-line react/exhaustive-deps -- the page signs in once, when it opens
  useEffect(() => void signIn(), []);
  const isSignedIn = me !== undefined && signedOut === undefined;
  useEffect(() => {
    if (!isSignedIn) return undefined;
    void live.start();
    return () => live.stop();
  }, [live, isSignedIn]);

  const inbox = useMemo(
    () => ({ client, live, navigation, me, announce }),
    [client, live, navigation, me, announce],
  );
  return (
    <QueryClientProvider client={cache}>
      <InboxContext value={inbox}>
        {region}
        {me !== undefined && (
          // A lost session hides the page and unmounts nothing: forms keep their drafts.
          <div className={isSignedIn ? undefined : 'signed-out'}>
            <Shell />
          </div>
        )}
        {signedOut !== undefined &&
          (me === undefined ? (
            <SignInPage error={signedOut} root={root} onContinue={() => void signIn()} />
          ) : (
            <SignInPrompt error={signedOut} root={root} onContinue={() => void signIn()} />
          ))}
        {me === undefined && signedOut === undefined && error !== undefined && (
          <main className="alone">
            <Failure error={error} onRetry={() => void signIn()} />
          </main>
        )}
      </InboxContext>
    </QueryClientProvider>
  );
}
