import type { JsonObject, JsonValue } from 'holdpoint';
import { type Markup, markup } from './markup.ts';

/** Deeper values are shown as JSON. */
const MAX_DEPTH = 6;

/**
 * Returns a value for people. Members are labelled with the titles of their schema. Texts are in
 * quotes, so that values of different types never look the same.
 */
export function valueMarkup(value: JsonValue, schema?: JsonObject, depth = 0): Markup {
  if (value === '') return markup`<span class="empty">empty text</span>`;
  if (typeof value === 'string') {
    return markup`<span class="quote">"</span><bdi>${value}</bdi><span class="quote">"</span>`;
  }
  if (typeof value !== 'object' || value === null) {
    return markup`<span class="plain">${wordOf(value)}</span>`;
  }
  if (depth >= MAX_DEPTH) return markup`<pre>${JSON.stringify(value, undefined, 2)}</pre>`;
  const members = Array.isArray(value)
    ? value.map((item: JsonValue, index) =>
        member(`${index + 1}.`, item, partOf(schema, 'items'), depth),
      )
    : Object.entries(value).map(([name, item]) => {
        const inside = partOf(partOf(schema, 'properties'), name);
        return member(labelOf(inside, name), item, inside, depth);
      });
  if (members.length === 0) {
    return markup`<span class="empty">${Array.isArray(value) ? 'empty list' : 'empty object'}</span>`;
  }
  return markup`<dl>${members}</dl>`;
}

function member(
  label: string,
  value: JsonValue,
  schema: JsonObject | undefined,
  depth: number,
): Markup {
  return markup`<div class="member"><dt><bdi>${label}</bdi></dt><dd>${valueMarkup(value, schema, depth + 1)}</dd></div>
`;
}

/**
 * Returns the title of a member, or its name. A name that resembles the number of an item is
 * quoted.
 */
function labelOf(schema: JsonObject | undefined, name: string): string {
  const title = schema?.['title'];
  const label = typeof title === 'string' && title.trim() !== '' ? title : name;
  return /^\s*\d+\.\s*$/.test(label) ? JSON.stringify(label) : label;
}

/** Returns a part of a schema. The schema is not trusted, so its parts can have any type. */
function partOf(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  if (schema === undefined || !Object.hasOwn(schema, name)) return undefined;
  const part = schema[name];
  const isSchema = typeof part === 'object' && part !== null && !Array.isArray(part);
  return isSchema ? (part as JsonObject) : undefined; // an object that is not a list
}

function wordOf(value: number | boolean | null): string {
  if (value === null) return 'nothing';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}
