import type { Person } from '../model/person.ts';
import { markup } from '../http/pages/markup.ts';
import { pageResponse } from '../http/pages/page-response.ts';

/** Asks whether somebody wants to come in. To look at it lets nobody in. */
export function entryPage(action: string, token: string, { id, name }: Person): Response {
  const who = name === undefined ? id : `${name} (${id})`;
  return pageResponse({
    title: 'Come in',
    body: markup`<p>This link lets you in as <bdi>${who}</bdi>, once.</p>
<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<button>Come in</button>
</form>`,
  });
}

/** Says that a link lets nobody in. */
export function noEntryPage(): Response {
  return pageResponse({
    status: 410,
    title: 'This link lets nobody in',
    body: markup`<p>It was used before, its time is over, or the address was cut off. Start the desk again to get another one.</p>`,
  });
}

/** Says that people cannot sign in here by themselves. */
export function noSignInPage(): Response {
  return pageResponse({
    status: 404,
    title: 'There is nothing to sign in with',
    body: markup`<p>This desk has no provider to sign in with. Open the link that it has printed when it was started.</p>`,
  });
}

/** Says that a sign-in came to nothing, with what may be told. */
export function failedPage(status: number, why: string, again: string, headers: Headers): Response {
  return pageResponse({
    status,
    title: 'You are not signed in',
    body: markup`<p>${why}</p><p><a href="${again}">Sign in again</a></p>`,
    headers,
  });
}
