import type { PageFiles } from './page-files.ts';

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Crect width='32' height='32' rx='8' fill='%231d5548'/%3E" +
  "%3Cpath d='M8 9v14M24 9v14M8 16h5m6 0h5' stroke='%23fff' stroke-width='3' stroke-linecap='round'/%3E" +
  '%3C/svg%3E';

/**
 * Returns the document of the page. It is the same for all visitors.
 *
 * @param upwards - The relative path from the document to the root of the desk, such as `../`. It stays valid if
 * a proxy removes the beginning of the path.
 */
export function pageDocument({ script, styles }: PageFiles, upwards: string): string {
  const assets = `${upwards}inbox/assets/`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    '<title>Inbox</title>',
    `<link rel="icon" href="${ICON}">`,
    ...styles.map((name) => `<link rel="stylesheet" href="${assets}${name}">`),
    `<script type="module" src="${assets}${script}"></script>`,
    '</head>',
    '<body>',
    `<div id="inbox" data-desk="${upwards}"></div>`,
    '<noscript>This page needs JavaScript. The desk can also be reached with the command line: holdpoint holds.</noscript>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
