import type { Person } from '../model/person.ts';
import { markup } from '../http/pages/markup.ts';
import { pageResponse } from '../http/pages/page-response.ts';

/** Shows the form that signs a visitor in. Opening the page has no effect. */
export function entryPage(action: string, token: string, { id, name }: Person): Response {
  const who = name === undefined ? id : `${name} (${id})`;
  return pageResponse({
    title: 'Sign in to the desk',
    body: markup`<p class="lead">You sign in as <bdi>${who}</bdi>. This link works once.</p>
<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<button class="primary">Sign in</button>
</form>`,
  });
}

/** Shows that a sign-in link is no longer valid. */
export function noEntryPage(): Response {
  return pageResponse({
    status: 410,
    title: 'This sign-in link is no longer valid',
    body: markup`<p>It was used before, it has expired, or the address was cut off. Ask the operator of the desk for a new one.</p>`,
  });
}

/** Shows that the desk has no identity provider. */
export function noSignInPage(): Response {
  return pageResponse({
    status: 404,
    title: 'This desk has no sign-in',
    body: markup`<p>No identity provider is configured. Open a sign-in link. The operator of the desk can send you one.</p>`,
  });
}

/** Shows that a sign-in failed, with a reason that the visitor may know. */
export function failedPage(status: number, why: string, again: string, headers: Headers): Response {
  return pageResponse({
    status,
    title: 'You are not signed in',
    body: markup`<p>${why}</p><p><a href="${again}">Sign in again</a></p>`,
    headers,
  });
}
