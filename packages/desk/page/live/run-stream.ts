import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { JsonObject } from 'holdpoint';
import { useEffect, useState } from 'react';
import { queryKeys, useRun } from '../client/queries.ts';
import type { RunStreamEvent } from '../client/types.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { addLiveEvent, type LiveMessage } from '../transcript/live-message.ts';

/**
 * Follows a run while it executes: adds its new messages to the conversation, and returns the message that it has not
 * finished yet. A browser has few connections to a site, so the stream is closed while the run is parked.
 */
export function useLiveMessage(runId: string, conversationId: string): LiveMessage | undefined {
  const { client } = useInbox();
  const cache = useQueryClient();
  const { data: run } = useRun(runId);
  const [live, setLive] = useState<LiveMessage>();
  const isExecuting = run?.state === 'ready' || run?.state === 'running';
  useEffect(() => {
    if (!isExecuting) return undefined;
    const leaving = new AbortController();
    const show = async () => {
      for await (const event of client.stream(runId, { signal: leaving.signal })) {
        updateMessages(cache, queryKeys.messages(runId, conversationId), event);
        if (event.kind === 'live') {
          setLive((current) => addLiveEvent(current, event.position, event.event));
        } else if (event.kind === 'rewind') setLive(undefined);
      }
    };
    // Without this stream the page shows each message once it is stored.
    show().catch(() => {});
    return () => {
      leaving.abort();
      setLive(undefined);
    };
  }, [client, cache, runId, conversationId, isExecuting]);
  return live;
}

/** Adds a new message to the loaded ones. */
function updateMessages(
  cache: QueryClient,
  queryKey: readonly string[],
  event: RunStreamEvent,
): void {
  switch (event.kind) {
    case 'message': {
      const known = cache.getQueryData<readonly JsonObject[]>(queryKey);
      if (known?.length === event.position) cache.setQueryData(queryKey, [...known, event.message]);
      else if (known !== undefined && known.length < event.position) {
        void cache.invalidateQueries({ queryKey });
      }
      break;
    }
    case 'rewind':
      void cache.invalidateQueries({ queryKey });
      break;
    case 'state':
      void cache.invalidateQueries({ queryKey: queryKeys.run(event.run.id) });
      break;
    default:
  }
}
