/** The beginning of a text, and how much there is. */
export interface Beginning {
  readonly text: string;
  /** In characters, as a program counts them. */
  readonly shown: number;
  readonly whole: number;
}

/** The beginning of a text, cut between two characters and never inside of one. */
export function beginningOf(text: string, most: number): Beginning {
  if (text.length <= most) return { text, shown: text.length, whole: text.length };
  const splitsPair = /[\uD800-\uDBFF]/.test(text[most - 1] ?? '');
  const shown = splitsPair ? most - 1 : most;
  return { text: text.slice(0, shown), shown, whole: text.length };
}

/** A number for people: `10,485,760`. */
export function countOf(number: number): string {
  return number.toLocaleString('en');
}

/** `1 character`, `2,000 characters`. */
export function counted(number: number, thing: string): string {
  return `${countOf(number)} ${thing}${number === 1 ? '' : 's'}`;
}
