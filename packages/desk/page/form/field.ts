import type { JsonValue } from 'holdpoint';
import { isObject, type JsonPath } from '../values/json-path.ts';
import { descriptionOf, labelOf, type Schema, schemaOfMember, typesOf } from './schema.ts';

/** A value that somebody can change, and how. */
export interface Field {
  readonly path: JsonPath;
  readonly label: string;
  readonly description?: string | undefined;
  readonly control: Control;
  /** Whether the value must be there. */
  readonly isRequired: boolean;
  /** Whether it is there. */
  readonly isPresent: boolean;
}

/** How a value is changed. */
export type Control =
  | { readonly kind: 'text'; readonly isLong: boolean }
  | { readonly kind: 'number' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly options: readonly JsonValue[] }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  | { readonly kind: 'list'; readonly items: readonly Field[]; readonly itemSchema: Schema }
  /** As JSON: for what no other control can show whole. */
  | { readonly kind: 'json' }
  /** Not at all: it is too large to be changed by hand. */
  | { readonly kind: 'fixed' };

/** A value and what is known about it. */
export interface FieldSource {
  readonly value: JsonValue | undefined;
  readonly schema: Schema;
  readonly root: Schema;
  readonly path: JsonPath;
  readonly label: string;
  readonly isRequired: boolean;
}

/** Beyond this a form would be none: such values are changed as JSON. */
const MOST_MEMBERS = 60;
const DEEPEST = 6;
const LONG_TEXT = 80;
const LARGEST = 100_000;

/** The form for a value, by its schema where there is one, and by what it is where there is none. */
export function fieldOf(source: FieldSource): Field {
  const { value, schema, path, label, isRequired } = source;
  return {
    path,
    label,
    description: descriptionOf(schema),
    control: controlOf(source),
    isRequired,
    isPresent: value !== undefined,
  };
}

function controlOf(source: FieldSource): Control {
  const { value, schema, path } = source;
  if (path.length > DEEPEST) return jsonControl(value);
  const options = schema['enum'];
  if (Array.isArray(options) && options.some((one) => isSame(one, value)) && isShort(options)) {
    return { kind: 'choice', options };
  }
  switch (kindOf(value, typesOf(schema))) {
    case 'string':
      return textControl(value);
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'switch' };
    case 'object':
      return groupControl(source);
    case 'array':
      return listControl(source);
    default:
      return jsonControl(value);
  }
}

/** What a value is; what it should be, if it is not there. */
function kindOf(value: JsonValue | undefined, types: readonly string[]): string {
  if (value === undefined) return types.find((type) => type !== 'null') ?? 'unknown';
  if (value === null) return 'unknown';
  return Array.isArray(value) ? 'array' : typeof value;
}

function jsonControl(value: JsonValue | undefined): Control {
  return { kind: isLargerThan(value, LARGEST) ? 'fixed' : 'json' };
}

function textControl(value: JsonValue | undefined): Control {
  const text = typeof value === 'string' ? value : '';
  if (text.length > LARGEST) return { kind: 'fixed' };
  return { kind: 'text', isLong: text.length > LONG_TEXT || text.includes('\n') };
}

function groupControl({ value, schema, root, path }: FieldSource): Control {
  const members = isObject(value) ? value : {};
  const declared = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const names = [...new Set([...declared, ...Object.keys(members)])];
  if (names.length > MOST_MEMBERS) return jsonControl(value);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  // Where nothing is said about a member, nobody knows whether the tool can do without it.
  const isRequired = (name: string) => required.includes(name) || !declared.includes(name);
  const fields = names.map((name) => {
    const inside = schemaOfMember(schema, name, root);
    return fieldOf({
      value: Object.hasOwn(members, name) ? members[name] : undefined,
      schema: inside,
      root,
      path: [...path, name],
      label: labelOf(inside, name),
      isRequired: isRequired(name),
    });
  });
  return { kind: 'group', fields };
}

function listControl({ value, schema, root, path }: FieldSource): Control {
  const items = Array.isArray(value) ? value : [];
  if (items.length > MOST_MEMBERS) return jsonControl(value);
  const fields = items.map((item, at) =>
    fieldOf({
      value: item,
      schema: schemaOfMember(schema, at, root),
      root,
      path: [...path, at],
      label: `${at + 1}.`,
      isRequired: true,
    }),
  );
  return { kind: 'list', items: fields, itemSchema: schemaOfMember(schema, items.length, root) };
}

function isShort(options: readonly JsonValue[]): boolean {
  return options.length <= MOST_MEMBERS && options.every((one) => !Object.is(Object(one), one));
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  return one === other;
}

/** Whether a value has more than so many characters; stops to look as soon as that is known. */
function isLargerThan(value: JsonValue | undefined, most: number): boolean {
  let left = most;
  const waiting: (JsonValue | undefined)[] = [value];
  while (waiting.length > 0 && left >= 0) {
    const one = waiting.pop();
    left -= typeof one === 'string' ? one.length + 2 : 4;
    if (typeof one === 'object' && one !== null) {
      for (const [name, inside] of Object.entries(one)) {
        left -= name.length;
        if (left < 0) return true;
        waiting.push(inside);
      }
    }
  }
  return left < 0;
}
