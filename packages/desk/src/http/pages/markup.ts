import { visible } from '../../model/visible.ts';

/** HTML that was written here. */
export class Markup {
  readonly text: string;

  /** Use `markup`. */
  constructor(text: string) {
    this.text = text;
  }
}

/** What can stand in a template: texts, which are shown as they are; markup; lists of it; or nothing. */
export type Shown = string | number | Markup | readonly Markup[] | undefined;

/**
 * HTML from a template. Texts that are put into it stay texts, whatever they hold, and characters in them that
 * cannot be seen are shown by their numbers.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Shown[]): Markup {
  const text = parts.reduce((all, part, index) => all + shown(values[index - 1]) + part);
  return new Markup(text);
}

function shown(value: Shown): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeText(visible(String(value)));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
