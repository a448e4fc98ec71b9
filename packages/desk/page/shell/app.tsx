import { Activity, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { inboxClient } from '../client/inbox-client.ts';
import type { Me } from '../client/types.ts';
import { LiveDesk } from '../live/live-desk.ts';
import { useAnnouncer } from './announcer.tsx';
import { Failure } from './failure.tsx';
import { InboxContext } from './inbox-context.ts';
import { Shell } from './shell.tsx';
import { SignedOut } from './signed-out.tsx';
import { useRoute } from './use-route.ts';

/**
 * The inbox of a desk. If the session ends, the page is hidden and keeps its state: drafts are there again
 * once the same person is signed in.
 */
export function App({ root }: { readonly root: URL }): ReactNode {
  const [unknown, setUnknown] = useState<DeskClientError>();
  const client = useMemo(() => inboxClient(root, setUnknown), [root]);
  const live = useMemo(() => new LiveDesk(client.openEvents), [client]);
  const navigation = useRoute(`${root.pathname}inbox`);
  const { announce, region } = useAnnouncer();
  const [me, setMe] = useState<Me>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);

  useEffect(() => {
    client.me().then(
      (found) => {
        setMe(found);
        setError(undefined);
      },
      (problem: unknown) => setError(problem),
    );
  }, [client, tries]);
  const isIn = me !== undefined && unknown === undefined;
  useEffect(() => {
    if (!isIn) return undefined;
    void live.start();
    return () => live.stop();
  }, [live, isIn]);

  const inbox = useMemo(
    () => ({ client, live, navigation, me, announce }),
    [client, live, navigation, me, announce],
  );
  /** Continues if the same person is signed in again; drafts of another person are discarded. */
  const resume = async () => {
    try {
      const { person, tenant } = await client.me();
      if (person.id !== me?.person.id || tenant !== me.tenant) return location.reload();
      setUnknown(undefined);
    } catch {
      // The client reports a missing session by itself.
    }
  };
  return (
    <InboxContext value={inbox}>
      {region}
      {me !== undefined && (
        <Activity mode={isIn ? 'visible' : 'hidden'}>
          <Shell />
        </Activity>
      )}
      {unknown !== undefined && (
        <SignedOut error={unknown} root={root} onResume={me === undefined ? undefined : resume} />
      )}
      {!isIn && unknown === undefined && error !== undefined && (
        <main className="alone">
          <Failure error={error} onRetry={() => setTries(tries + 1)} />
        </main>
      )}
    </InboxContext>
  );
}
