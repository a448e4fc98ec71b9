import { createContext, useContext } from 'react';
import type { InboxClient } from '../client/inbox-client.ts';
import type { Me } from '../client/types.ts';
import type { LiveDesk } from '../live/live-desk.ts';
import type { Navigation } from './use-route.ts';

/** What all parts of the page work with. */
export interface Inbox {
  readonly client: InboxClient;
  readonly live: LiveDesk;
  readonly navigation: Navigation;
  /** `undefined` while it is not known. */
  readonly me: Me | undefined;
  /** Says something to those who do not see the page. */
  readonly announce: (text: string) => void;
}

/** Given by the shell. */
export const InboxContext = createContext<Inbox | undefined>(undefined);

/** What all parts of the page work with. */
export function useInbox(): Inbox {
  const inbox = useContext(InboxContext);
  if (inbox === undefined) throw new Error('This is shown outside of the inbox.');
  return inbox;
}
