import { createHash } from 'node:crypto';
import type { Problem } from '../problem-details.ts';
import { type Markup, markup, trusted } from './markup.ts';
import { SMALL_PAGE_STYLE } from './small-page-style.ts';

/** A small page without scripts. */
export interface SmallPage {
  readonly status?: number | undefined;
  readonly title: string;
  readonly body: Markup;
  readonly headers?: HeadersInit | undefined;
}

const STYLE_HASH = createHash('sha256').update(SMALL_PAGE_STYLE).digest('base64');

/**
 * The page loads nothing and executes nothing, and its forms go to the own site. Referrers have no path, since
 * the token of a link is a path. With `no-referrer`, browsers would not report the origin of a form.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'strict-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
});

/** Returns a page in the layout that all small pages share. */
export function pageResponse({ status = 200, title, body, headers }: SmallPage): Response {
  const document = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Holdpoint</title>
<style>${trusted(SMALL_PAGE_STYLE)}</style>
</head>
<body>
<header class="brand"><svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><path d="M6 8v16M26 8v16M6 16h7m6 0h7"/></svg>Holdpoint</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) all.set(name, value);
  return new Response(String(document), { status, headers: all });
}

/** Returns a link to the inbox, for a page without other actions. */
export function inboxLink(address: string): Markup {
  return markup`<p><a class="button" href="${address}">Open the inbox</a></p>`;
}

/** Returns the page for a visitor whose request was rejected or failed, with a link to the inbox. */
export function problemPage({ details, headers }: Problem, inboxAddress: string): Response {
  const { status, detail, requestId } = details;
  const isInternal = status >= 500;
  return pageResponse({
    status,
    title: isInternal
      ? 'Something went wrong'
      : status === 404
        ? 'Page not found'
        : 'Request rejected',
    body: markup`<p>${status === 404 ? 'There is nothing at this address.' : detail}</p>${isInternal ? markup`<p class="lead">Request ${requestId}</p>` : undefined}${inboxLink(inboxAddress)}`,
    headers: new Headers(headers),
  });
}
