import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { InboxClient } from '../client/inbox-client.ts';
import { outdatedKeys } from '../client/queries.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { type Connection, EventStream } from './event-stream.ts';

/** Events of one change arrive together: they are collected for this time. */
const BATCH_MS = 150;

/** Creates the stream whose events invalidate the queries that they concern. */
export function liveUpdates(client: InboxClient, cache: QueryClient): EventStream {
  const outdated = new Map<string, readonly string[]>();
  let isFlushing = false;

  // Loading a list again would cancel the page of it that is being loaded.
  const isLoading = (queryKey: readonly string[]) => cache.isFetching({ queryKey }) > 0;
  // One batch after the other: a list that is slower than the events would never finish loading.
  const flush = async () => {
    if (isFlushing) return;
    isFlushing = true;
    while (outdated.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
      const keys = [...outdated.values()].filter((queryKey) => !isLoading(queryKey));
      for (const key of keys) outdated.delete(key.join(' '));
      await Promise.all(keys.map((queryKey) => cache.invalidateQueries({ queryKey })));
    }
    isFlushing = false;
  };
  const invalidate = (keys: readonly (readonly string[])[]) => {
    for (const key of keys) outdated.set(key.join(' '), key);
    void flush();
  };
  return new EventStream({
    open: client.openEvents,
    onOpen: () => invalidate([[]]),
    onEvent: (event) => invalidate(outdatedKeys(event)),
  });
}

/** Returns the state of the connection to the event stream. */
export function useConnection(): Connection {
  const { live } = useInbox();
  return useSyncExternalStore(live.watch, () => live.connection);
}
