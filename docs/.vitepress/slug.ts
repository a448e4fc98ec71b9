/**
 * The anchor of a heading, as GitHub makes it: so a link into a document works in both places.
 *
 * Of two headings with the same one, both places call the second `…-1`.
 */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
