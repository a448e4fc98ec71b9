import { type JsonObject, type JsonValue, isPlainObject } from '../internal/json.ts';

/** A form for the input of a question that MCP clients and editors can show: one object whose values are not nested. */
export interface QuestionForm {
  readonly schema: QuestionFormSchema;
  /** Returns the input from the fields of the form; `undefined` if it is missing. */
  readonly read: (fields: JsonObject) => JsonValue | undefined;
}

/** The schema of a {@link QuestionForm}. */
export interface QuestionFormSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/** The field of a form for an input that is not an object. */
const VALUE = 'value';

const COMMON = ['type', 'title', 'description', 'default'];

/** The keywords of forms of MCP and ACP, by type. Clients may reject a form with others. */
const KEYWORDS: ReadonlyMap<JsonValue | undefined, readonly string[]> = new Map([
  ['string', [...COMMON, 'minLength', 'maxLength', 'enum']],
  ['number', [...COMMON, 'minimum', 'maximum']],
  ['integer', [...COMMON, 'minimum', 'maximum']],
  ['boolean', COMMON],
]);

/**
 * Returns the form for the schema of a question; `undefined` if clients cannot show one, because a value is nested or
 * has several types. Validate the input with `schemaProblems`: a form has fewer keywords than its schema.
 */
export function questionForm(schema: JsonObject): QuestionForm | undefined {
  if (schema['type'] === 'object') return objectForm(schema);
  const field = formFieldOf(schema);
  if (field === undefined) return undefined;
  return {
    schema: { type: 'object', properties: { [VALUE]: field }, required: [VALUE] },
    read: (fields) => (Object.hasOwn(fields, VALUE) ? fields[VALUE] : undefined),
  };
}

function objectForm({ properties = {}, required = [] }: JsonObject): QuestionForm | undefined {
  if (!isPlainObject(properties) || !Array.isArray(required)) return undefined;
  const fields: [string, JsonObject][] = [];
  for (const [name, member] of Object.entries(properties)) {
    const field = isPlainObject(member) ? formFieldOf(member) : undefined;
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

function formFieldOf(schema: JsonObject): JsonObject | undefined {
  const { type, enum: values } = schema;
  const keywords = KEYWORDS.get(type);
  if (keywords === undefined) return undefined;
  const isText = (value: JsonValue) => typeof value === 'string';
  if (values !== undefined && !(type === 'string' && Array.isArray(values) && values.every(isText)))
    return undefined;
  return Object.fromEntries(Object.entries(schema).filter(([name]) => keywords.includes(name)));
}
