import { type ReactNode, useEffect, useRef } from 'react';
import { useConnection } from '../live/use-connection.ts';
import { useInbox } from './inbox-context.ts';

/** Says that the connection is lost, for as long as it is. */
export function ConnectionBanner(): ReactNode {
  const { live, announce } = useInbox();
  const connection = useConnection();
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection === 'lost') announce('The connection to the desk is lost.');
    if (connection === 'live' && wasLost.current) announce('The connection is back.');
    wasLost.current = connection === 'lost';
  }, [connection, announce]);
  if (connection === 'refused') {
    return (
      <section className="banner" aria-label="Connection">
        <p>What happens is not shown by itself now. Load the page again to see it.</p>
      </section>
    );
  }
  if (connection !== 'lost') return null;
  return (
    <section className="banner lost" aria-label="Connection">
      <p>
        No connection to the desk. What you see may be old, and nothing is sent. It is tried again
        by itself.
      </p>
      <button type="button" onClick={live.tryNow}>
        Try now
      </button>
    </section>
  );
}
