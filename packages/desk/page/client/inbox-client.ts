import { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { type DeskClient, deskClient } from '../../src/http/client/desk-client.ts';
import { syncClock } from '../time/clock.ts';

/** A client of the desk that serves the page. A rejected request throws a `DeskClientError`. */
export interface InboxClient extends Omit<DeskClient, 'events'> {
  /** Opens the stream of events. */
  openEvents(signal: AbortSignal): Promise<Response>;
  /** Ends the session. */
  signOut(path: string): Promise<void>;
}

/** A header that no other site can make a browser send with the desk's cookie. */
const HEADERS = { 'x-holdpoint-csrf': '1' };

/**
 * Creates a client for the desk of this site.
 *
 * @param root - The address of the desk; it ends with a slash.
 * @param onSignedOut - Called when the desk rejects the credentials: the session has ended.
 */
export function inboxClient(root: URL, onSignedOut: (error: DeskClientError) => void): InboxClient {
  const send = async (request: Request) => {
    const response = await fetch(request, { cache: 'no-store', redirect: 'error' });
    syncClock(response.headers.get('date'));
    if (response.status === 401) onSignedOut(await DeskClientError.of(response.clone()));
    return response;
  };
  const { events: _events, ...client } = deskClient({
    url: root.href,
    headers: HEADERS,
    fetch: send,
  });
  return {
    ...client,
    openEvents: (signal) =>
      send(new Request(new URL('v1/events', root), { headers: HEADERS, signal })),
    async signOut(path) {
      await send(new Request(new URL(path, root), { method: 'POST', headers: HEADERS }));
    },
  };
}
