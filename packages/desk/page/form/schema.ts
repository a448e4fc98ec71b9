import type { JsonValue } from 'holdpoint';
import { isObject, valueAt } from '../values/json-path.ts';

/** A JSON Schema or a part of one. It is untrusted: any JSON may be in it. */
export type Schema = Readonly<Record<string, JsonValue>>;

const MAX_REFERENCES = 20;

/** Resolves references, and reduces a choice between a schema and `null` to the schema. */
export function resolved(schema: JsonValue | undefined, root: Schema): Schema {
  let found = schema;
  for (let turn = 0; turn < MAX_REFERENCES && isObject(found); turn++) {
    const reference = found['$ref'];
    if (typeof reference !== 'string') break;
    found = { ...asSchema(referenced(reference, root)), ...without(found, '$ref') };
  }
  const here = asSchema(found);
  const only = onlyOption(here);
  return only === undefined ? here : { ...resolved(only, root), ...titles(here) };
}

/** Returns the schema of a member of an object, or of an item of a list. */
export function schemaOfMember(schema: Schema, step: string | number, root: Schema): Schema {
  if (typeof step === 'number') {
    const first = valueAt(schema, ['prefixItems', step]);
    return resolved(first ?? schema['items'], root);
  }
  return resolved(valueAt(schema, ['properties', step]) ?? schema['additionalProperties'], root);
}

/** Returns the title of a member, or its name. */
export function labelOf(schema: Schema, name: string): string {
  const title = schema['title'];
  return typeof title === 'string' && title.trim() !== '' ? title : name;
}

export function descriptionOf(schema: Schema): string | undefined {
  const description = schema['description'];
  return typeof description === 'string' && description !== '' ? description : undefined;
}

/** Returns the types that a schema allows; empty if it allows any. */
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

/** Returns the only option besides `null`. */
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
