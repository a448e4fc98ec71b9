/** The start of a text, and its full length in UTF-16 code units. */
export interface TextStart {
  readonly text: string;
  readonly length: number;
}

/** Returns the first `max` code units of a text, and never half a character. */
export function startOf(text: string, max: number): TextStart {
  if (text.length <= max) return { text, length: text.length };
  const splitsPair = /[\uD800-\uDBFF]/.test(text[max - 1] ?? '');
  return { text: text.slice(0, splitsPair ? max - 1 : max), length: text.length };
}

/** Formats a number: `10,485,760`. */
export function formatNumber(number: number): string {
  return number.toLocaleString('en');
}

/** Formats a number with a noun: `1 character`, `2,000 characters`. */
export function formatCount(number: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(number)} ${number === 1 ? noun : plural}`;
}

/** Turns an identifier into words: `send_invoice` and `sendInvoice` become `Send invoice`. */
export function humanise(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])(?=[a-z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  if (words === '') return name;
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}
