import type { UseChatHelpers } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { useEffect, useRef, useState } from 'react';

// #region changes
/** Shows changes of other tabs and decisions in the inbox without a reload. */
export function useChanges(api: string, chat: UseChatHelpers<UIMessage>): void {
  const { id, status, setMessages, resumeStream } = chat;
  const address = `${api}/${encodeURIComponent(id)}`;
  const [changes, setChanges] = useState(0);
  const shownChanges = useRef(0);
  useEffect(() => {
    // The browser reconnects itself. The first event of a connection covers all changes.
    const events = new EventSource(`${address}/changes`);
    events.addEventListener('message', () => setChanges((count) => count + 1));
    return () => events.close();
  }, [address]);
  useEffect(() => {
    // A page that receives a response already shows the changes.
    const isBusy = status === 'submitted' || status === 'streaming';
    if (isBusy || shownChanges.current === changes) return undefined;
    const leaving = new AbortController();
    const refresh = async () => {
      const response = await fetch(address, { signal: leaving.signal });
      if (!response.ok) return;
      const stored: UIMessage[] = await response.json();
      if (leaving.signal.aborted) return;
      shownChanges.current = changes;
      setMessages((shown) => (isShown(stored, shown) ? shown : stored));
      await resumeStream();
    };
    // After a failure, the next change loads the messages.
    refresh().catch(() => {});
    return () => leaving.abort();
  }, [address, changes, status, setMessages, resumeStream]);
}

/** Returns whether the page shows the stored messages. It may show more: text of sub-agents is not stored. */
function isShown(stored: readonly UIMessage[], shown: readonly UIMessage[]): boolean {
  return stored.every(({ parts }, index) => {
    const outlines = new Set(shown[index]?.parts.map(outlineOf));
    return parts.every((part) => outlines.has(outlineOf(part)));
  });
}

function outlineOf(part: UIMessage['parts'][number]): string {
  if ('toolCallId' in part) return `${part.toolCallId} ${part.state}`;
  return 'text' in part ? `${part.type} ${part.text}` : part.type;
}
// #endregion
