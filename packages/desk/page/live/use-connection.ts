import { useSyncExternalStore } from 'react';
import { useInbox } from '../shell/inbox-context.ts';
import type { Connection } from './live-desk.ts';

/** How it is with the connection to the desk. */
export function useConnection(): Connection {
  const { live } = useInbox();
  return useSyncExternalStore(live.watch, () => live.connection);
}
