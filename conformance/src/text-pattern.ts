/**
 * Compares a text with an expected pattern.
 *
 * `<text>` matches any text of the framework. `<text: a, b; not c>` matches a text that contains a
 * and b, and does not contain c. Every other text matches only itself.
 */
export function sameTextPattern(expected: string, got: string): boolean {
  if (expected === '<text>') return got !== '';
  const pattern = /^<text: (?<rules>.*)>$/s.exec(expected)?.groups?.['rules'];
  if (pattern === undefined) return expected === got;
  const [wanted = '', unwanted = ''] = pattern.split('; not ');
  return (
    got !== '' &&
    namesIn(wanted).every((name) => got.includes(name)) &&
    !namesIn(unwanted).some((name) => got.includes(name))
  );
}

function namesIn(list: string): string[] {
  return list.split(', ').filter((name) => name !== '');
}
