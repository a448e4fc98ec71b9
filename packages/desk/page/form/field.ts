import type { JsonValue } from 'holdpoint';
import { isObject, type JsonPath } from '../values/json-path.ts';
import { descriptionOf, labelOf, type Schema, schemaOfMember, typesOf } from './schema.ts';

/** A value in a form, and its control. */
export interface Field {
  readonly path: JsonPath;
  readonly label: string;
  readonly description?: string | undefined;
  readonly control: Control;
  readonly isRequired: boolean;
  /** False if the value is missing. */
  readonly isPresent: boolean;
}

/** The control of a field. `json` edits a value as JSON; `fixed` does not edit it, because it is too large. */
export type Control =
  | { readonly kind: 'text'; readonly isLong: boolean }
  | { readonly kind: 'number' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly options: readonly JsonValue[] }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  | { readonly kind: 'list'; readonly items: readonly Field[]; readonly itemSchema: Schema }
  | { readonly kind: 'json' }
  | { readonly kind: 'fixed' };

/** A value with its schema. */
export interface FieldSource {
  readonly value: JsonValue | undefined;
  readonly schema: Schema;
  readonly root: Schema;
  readonly path: JsonPath;
  readonly label: string;
  readonly isRequired: boolean;
}

/** Values beyond these limits are edited as JSON. */
const MAX_MEMBERS = 60;
const MAX_DEPTH = 6;
/** Values beyond this size are not editable. */
const MAX_SIZE = 100_000;
const LONG_TEXT = 80;

/** Returns the form for a value, from its schema if there is one, or from the value itself. */
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
  if (path.length > MAX_DEPTH) return jsonControl(value);
  const options = schema['enum'];
  if (Array.isArray(options) && isShort(options)) {
    const isChoice = value === undefined || options.some((option) => option === value);
    if (isChoice) return { kind: 'choice', options };
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

/** Returns the type of a value; the type in its schema if it is missing. */
function kindOf(value: JsonValue | undefined, types: readonly string[]): string {
  if (value === undefined) return types.find((type) => type !== 'null') ?? 'unknown';
  if (value === null) return 'unknown';
  return Array.isArray(value) ? 'array' : typeof value;
}

function jsonControl(value: JsonValue | undefined): Control {
  return { kind: isLargerThan(value, MAX_SIZE) ? 'fixed' : 'json' };
}

function textControl(value: JsonValue | undefined): Control {
  const text = typeof value === 'string' ? value : '';
  if (text.length > MAX_SIZE) return { kind: 'fixed' };
  return { kind: 'text', isLong: text.length > LONG_TEXT || text.includes('\n') };
}

function groupControl({ value, schema, root, path }: FieldSource): Control {
  const members = isObject(value) ? value : {};
  const declared = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const names = [...new Set([...declared, ...Object.keys(members)])];
  if (names.length > MAX_MEMBERS) return jsonControl(value);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  // The tool may need a member that its schema does not declare.
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
  if (items.length > MAX_MEMBERS) return jsonControl(value);
  const fields = items.map((item, index) =>
    fieldOf({
      value: item,
      schema: schemaOfMember(schema, index, root),
      root,
      path: [...path, index],
      label: `${index + 1}.`,
      isRequired: true,
    }),
  );
  return { kind: 'list', items: fields, itemSchema: schemaOfMember(schema, items.length, root) };
}

function isShort(options: readonly JsonValue[]): boolean {
  return options.length <= MAX_MEMBERS && options.every((one) => !Object.is(Object(one), one));
}

/** Returns whether a value has more than `max` characters, without visiting more than that. */
function isLargerThan(value: JsonValue | undefined, max: number): boolean {
  let left = max;
  const stack: (JsonValue | undefined)[] = [value];
  while (stack.length > 0 && left >= 0) {
    const one = stack.pop();
    left -= typeof one === 'string' ? one.length + 2 : 4;
    if (typeof one === 'object' && one !== null) {
      for (const [name, inside] of Object.entries(one)) {
        left -= name.length;
        if (left < 0) return true;
        stack.push(inside);
      }
    }
  }
  return left < 0;
}

/**
 * Returns the initial value of a form: an object with the members that need no typing. A text, a number and a choice
 * start without a value, so that no form sends one that its user did not enter.
 */
export function initialFor(schema: Schema, root: Schema, depth = 0): JsonValue | undefined {
  const [type, ...others] = typesOf(schema);
  if (others.length > 0 || depth > MAX_DEPTH || Array.isArray(schema['enum'])) return undefined;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  if (type !== 'object') return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = required.flatMap((name): readonly [string, JsonValue][] => {
    if (typeof name !== 'string') return [];
    const value = initialFor(schemaOfMember(schema, name, root), root, depth + 1);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}

/** Returns the initial value of a new item, from its schema or from the last item. */
export function emptyFor(schema: Schema, last: JsonValue | undefined): JsonValue {
  const [type = last === undefined ? 'null' : kindOf(last, [])] = typesOf(schema);
  return EMPTY.get(type) ?? null;
}

const EMPTY: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['array', []],
  ['boolean', false],
  ['integer', 0],
  ['number', 0],
  ['object', {}],
  ['string', ''],
]);
