import { createHash } from 'node:crypto';
import { Markup, markup } from './markup.ts';

/** A small page without scripts. */
export interface SmallPage {
  readonly status?: number | undefined;
  readonly title: string;
  readonly body: Markup;
  readonly headers?: HeadersInit | undefined;
}

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 42rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; }
h2 { font-size: 1.1rem; }
pre { padding: .75rem; border: 1px solid; border-radius: .25rem; white-space: pre-wrap; unicode-bidi: isolate; }
bdi { unicode-bidi: isolate; }
dt { font-weight: 600; margin-top: .75rem; }
dd { margin: 0; }
[role=note] { padding: .5rem .75rem; border-left: .25rem solid #b54708; }
label { display: block; margin-top: 1rem; font-weight: 600; }
input[type=text] { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
button { font: inherit; padding: .6rem 1.2rem; margin: 1rem .5rem 0 0; min-height: 2.75rem; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

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
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
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
