import { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { type DeskClient, deskClient } from '../../src/http/client/desk-client.ts';
import { noteDeskTime } from '../time/clock.ts';

/** What the page asks of the desk that has served it. What is refused is thrown as a `DeskClientError`. */
export interface InboxClient extends Omit<DeskClient, 'events'> {
  /** Opens the stream of what happens. */
  readonly openEvents: (signal: AbortSignal) => Promise<Response>;
  /** Ends the session. */
  readonly signOut: (path: string) => Promise<void>;
}

/** No other site can have a browser send this along with our cookie. */
const HEADERS = { 'x-holdpoint-csrf': '1' };

/**
 * A client for the desk of this site.
 *
 * @param root - Where the desk begins; it ends with a slash.
 * @param onUnknown - Called when the desk does not know who asks: a session has ended.
 */
export function inboxClient(root: URL, onUnknown: (refusal: DeskClientError) => void): InboxClient {
  const send = async (request: Request) => {
    const response = await fetch(request, { cache: 'no-store', redirect: 'error' });
    noteDeskTime(response.headers.get('date'));
    if (response.status === 401) onUnknown(await DeskClientError.of(response.clone()));
    return response;
  };
  const { events: _events, ...client } = deskClient({
    url: root.href,
    headers: HEADERS,
    fetch: send,
  });
  return Object.freeze<InboxClient>({
    ...client,
    openEvents: (signal) =>
      send(new Request(new URL('events', root), { headers: HEADERS, signal })),
    async signOut(path) {
      await send(new Request(new URL(path, root), { method: 'POST', headers: HEADERS }));
    },
  });
}
