import type { ElicitationPropertySchema, ElicitationSchema } from '@agentclientprotocol/sdk';
import type { JsonObject, JsonValue } from 'holdpoint';
import { isObject } from '../terminal/values.ts';

/** A form for the input of a question, as editors can show it. */
export interface QuestionForm {
  readonly schema: ElicitationSchema;
  /** Returns the input from the fields of the form; `undefined` if it is missing. */
  readonly read: (fields: JsonObject) => JsonValue | undefined;
}

/** The field of a form for an input that is not an object. */
const VALUE = 'value';

/** The keywords that editors know, by type. They may reject a form with others. */
const KEYWORDS: ReadonlyMap<JsonValue | undefined, readonly string[]> = new Map([
  ['string', ['title', 'description', 'minLength', 'maxLength', 'enum', 'default']],
  ['number', ['title', 'description', 'minimum', 'maximum', 'default']],
  ['integer', ['title', 'description', 'minimum', 'maximum', 'default']],
  ['boolean', ['title', 'description', 'default']],
]);

/** Returns the form for a schema; `undefined` if editors cannot show one, because a value is nested. */
export function questionForm(schema: JsonObject): QuestionForm | undefined {
  if (schema['type'] === 'object') return objectForm(schema);
  const field = fieldOf(schema);
  if (field === undefined) return undefined;
  return {
    schema: { type: 'object', properties: { [VALUE]: field }, required: [VALUE] },
    read: (fields) => fields[VALUE],
  };
}

function objectForm({ properties = {}, required = [] }: JsonObject): QuestionForm | undefined {
  if (!isObject(properties) || !Array.isArray(required)) return undefined;
  const fields: [string, ElicitationPropertySchema][] = [];
  for (const [name, member] of Object.entries(properties)) {
    const field = isObject(member) ? fieldOf(member) : undefined;
    if (field === undefined) return undefined;
    fields.push([name, field]);
  }
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields),
      required: required.map(String),
    },
    read: (values) => values,
  };
}

function fieldOf(schema: JsonObject): ElicitationPropertySchema | undefined {
  const { type, enum: values } = schema;
  const keywords = KEYWORDS.get(type);
  if (typeof type !== 'string' || keywords === undefined) return undefined;
  const isText = (value: JsonValue) => typeof value === 'string';
  if (values !== undefined && !(type === 'string' && Array.isArray(values) && values.every(isText)))
    return undefined;
  const known = Object.entries(schema).filter(([name]) => keywords.includes(name));
  return { ...Object.fromEntries(known), type };
}
