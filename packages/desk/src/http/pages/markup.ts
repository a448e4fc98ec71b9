import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { visible } from '../../model/visible.ts';

/** HTML in which all texts are escaped. */
export type Markup = HtmlEscapedString;

/** A value in a template: text, markup, a list of markup, or nothing. */
export type TemplateValue = string | number | Markup | readonly Markup[] | undefined;

/** Returns HTML from a template. Texts are escaped, and their invisible characters are shown as numbers. */
export function markup(parts: TemplateStringsArray, ...values: readonly TemplateValue[]): Markup {
  // Only templates with promises return a promise.
  return html(parts, ...values.map(withVisibleText)) as Markup;
}

/** Marks text that this package wrote as HTML. */
export function trusted(text: string): Markup {
  return raw(text);
}

/** Markup is a `String` object at run time, so it is not a `string` here. */
function withVisibleText(value: TemplateValue): TemplateValue {
  return typeof value === 'string' ? visible(value) : value;
}
