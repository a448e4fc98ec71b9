import type { JsonValue } from 'holdpoint';
import { isObject, valueAt } from '../values/json-path.ts';

/** A JSON Schema, or a part of one. It comes from outside: anything may be in it. */
export type Schema = Readonly<Record<string, JsonValue>>;

/** How often a reference may lead to another. */
const MOST_REFERENCES = 20;

/** A part of a schema without references and without the choice of nothing at all. */
export function resolved(schema: JsonValue | undefined, root: Schema): Schema {
  let found = schema;
  for (let turn = 0; turn < MOST_REFERENCES && isObject(found); turn++) {
    const reference = found['$ref'];
    if (typeof reference !== 'string') break;
    found = { ...asSchema(referenced(reference, root)), ...without(found, '$ref') };
  }
  const here = asSchema(found);
  const only = onlyOption(here);
  return only === undefined ? here : { ...resolved(only, root), ...titles(here) };
}

/** The schema of a member of an object, or of an item of a list. */
export function schemaOfMember(schema: Schema, step: string | number, root: Schema): Schema {
  if (typeof step === 'number') {
    const first = valueAt(schema, ['prefixItems', step]);
    return resolved(first ?? schema['items'], root);
  }
  return resolved(valueAt(schema, ['properties', step]) ?? schema['additionalProperties'], root);
}

/** What a member is called: by its schema, or by its name. */
export function labelOf(schema: Schema, name: string): string {
  const title = schema['title'];
  return typeof title === 'string' && title.trim() !== '' ? title : name;
}

/** What is said about a value, if something is. */
export function descriptionOf(schema: Schema): string | undefined {
  const description = schema['description'];
  return typeof description === 'string' && description !== '' ? description : undefined;
}

/** The types that a schema allows; empty if it does not say. */
export function typesOf({ type }: Schema): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : [];
}

function asSchema(value: JsonValue | undefined): Schema {
  return isObject(value) ? value : {};
}

function referenced(reference: string, root: Schema): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined;
  const steps = reference.slice(1).split('/').slice(1);
  return valueAt(
    root,
    steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

/** What is left of a choice between something and `null`. */
function onlyOption(schema: Schema): JsonValue | undefined {
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(options)) return undefined;
  const others = options.filter((one) => !isObject(one) || one['type'] !== 'null');
  return others.length === 1 ? others[0] : undefined;
}

function titles({ title, description }: Schema): Schema {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}

function without(schema: Schema, name: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([other]) => other !== name));
}
