import type { JsonObject, JsonValue } from 'holdpoint';

/** A form for the input of a question, as clients can show it: a flat object. */
export interface QuestionForm {
  readonly schema: FormSchema;
  /** Returns the input from the fields of the form; `undefined` if it is missing. */
  readonly read: (fields: JsonObject) => JsonValue | undefined;
}

/** The schema of a form. */
export interface FormSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/** The field of a form for an input that is not an object. */
const VALUE = 'value';

const COMMON = ['type', 'title', 'description', 'default'];

/** The keywords of the protocol, by type. Clients may reject a form with others. */
const KEYWORDS: ReadonlyMap<JsonValue | undefined, readonly string[]> = new Map([
  ['string', [...COMMON, 'minLength', 'maxLength', 'enum']],
  ['number', [...COMMON, 'minimum', 'maximum']],
  ['integer', [...COMMON, 'minimum', 'maximum']],
  ['boolean', COMMON],
]);

/** Returns the form for a schema; `undefined` if clients cannot show one, because a value is nested. */
export function questionForm(schema: JsonObject): QuestionForm | undefined {
  if (schema['type'] === 'object') return objectForm(schema);
  const field = fieldOf(schema);
  if (field === undefined) return undefined;
  return {
    schema: { type: 'object', properties: { [VALUE]: field }, required: [VALUE] },
    read: (fields) => (Object.hasOwn(fields, VALUE) ? fields[VALUE] : undefined),
  };
}

function objectForm({ properties = {}, required = [] }: JsonObject): QuestionForm | undefined {
  if (!isObject(properties) || !Array.isArray(required)) return undefined;
  const fields: [string, JsonObject][] = [];
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

function fieldOf(schema: JsonObject): JsonObject | undefined {
  const { type, enum: values } = schema;
  const keywords = KEYWORDS.get(type);
  if (keywords === undefined) return undefined;
  const isText = (value: JsonValue) => typeof value === 'string';
  if (values !== undefined && !(type === 'string' && Array.isArray(values) && values.every(isText)))
    return undefined;
  return Object.fromEntries(Object.entries(schema).filter(([name]) => keywords.includes(name)));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
