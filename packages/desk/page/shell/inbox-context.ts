import { createContext, useContext } from 'react';
import type { InboxClient } from '../client/inbox-client.ts';
import type { Me } from '../client/types.ts';
import type { EventStream } from '../live/event-stream.ts';
import type { Navigation } from './route.ts';

/** Services for all components of the page. */
export interface Inbox {
  readonly client: InboxClient;
  readonly live: EventStream;
  readonly navigation: Navigation;
  /** The signed-in person; `undefined` while the page loads. */
  readonly me: Me | undefined;
  /** Announces a text to screen readers. */
  readonly announce: (text: string) => void;
}

export const InboxContext = createContext<Inbox | undefined>(undefined);

export function useInbox(): Inbox {
  const inbox = useContext(InboxContext);
  if (inbox === undefined) throw new Error('This component is outside of `InboxContext`.');
  return inbox;
}
