import { createHash } from 'node:crypto';
import { Markup, markup } from './markup.ts';
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
 * What such a page says to browsers: nothing is loaded, nothing runs, forms go to the own site. Referrers
 * have no path, which may be a secret; without any, browsers would not say where a form comes from.
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

/** The page as a response. */
export function pageResponse({ status = 200, title, body, headers }: SmallPage): Response {
  const document = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Markup(SMALL_PAGE_STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) all.set(name, value);
  return new Response(document.text, { status, headers: all });
}
