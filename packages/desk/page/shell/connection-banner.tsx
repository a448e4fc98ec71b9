import { type ReactNode, useEffect, useState } from 'react';
import { useConnection } from '../live/live-updates.ts';
import { useInbox } from './inbox-context.ts';

/** States that the page does not receive updates. */
export function ConnectionBanner(): ReactNode {
  const { live, announce } = useInbox();
  const connection = useConnection();
  const [wasLost, setWasLost] = useState(false);
  useEffect(() => {
    if (connection === 'lost') {
      setWasLost(true);
      announce('The connection to the desk is lost.');
    }
    if (connection === 'live' && wasLost) {
      setWasLost(false);
      announce('The connection to the desk is restored.');
    }
  }, [connection, wasLost, announce]);
  if (connection === 'rejected') {
    return (
      <section className="banner" aria-label="Connection">
        <p>Live updates are off. Reload the page to see changes.</p>
      </section>
    );
  }
  if (connection !== 'lost') return null;
  return (
    <section className="banner" aria-label="Connection">
      <p>No connection to the desk. This page may be out of date. Reconnecting …</p>
      <button type="button" onClick={live.reconnect}>
        Reconnect now
      </button>
    </section>
  );
}
