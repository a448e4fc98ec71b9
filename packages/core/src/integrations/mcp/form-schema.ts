import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import {
  jsonObjectFormat,
  type JsonPath,
  listOf,
  stringFormat,
} from '../../messages/codec/index.ts';

const MAX_FIELDS = 50;
const MAX_CHOICES = 500;
const MAX_SCHEMA_CHARACTERS = 50_000;

/** Rejects invisible characters and line breaks, because people read these names. */
const FIELD_NAME = /^[^\p{C}\p{Z}]{1,128}$/u;

const TEXTS = ['title', 'description', 'format'];
const NUMBERS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'];

/**
 * Reads the schema of a form from a server, and returns a new one with the keywords of the protocol
 * only.
 *
 * Patterns are omitted, because the server wrote them and matching them can take minutes. The
 * server validates its input.
 */
export function readFormSchema(value: JsonValue | undefined, path: JsonPath): JsonObject {
  const schema = jsonObjectFormat.read(value, path);
  if (schema['type'] !== 'object') return path.at('type').fail('Expected `object`.');
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS) {
    return path.fail(`Expected at most ${MAX_SCHEMA_CHARACTERS} characters.`);
  }
  const properties = jsonObjectFormat.read(schema['properties'] ?? {}, path.at('properties'));
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS) return path.fail(`Expected at most ${MAX_FIELDS} fields.`);
  const fields = names.map((name): [string, JsonObject] => {
    const at = path.at('properties').at(name);
    if (!FIELD_NAME.test(name) || name in Object.prototype) at.fail('Expected a plain name.');
    return [name, readField(properties[name], at)];
  });
  const required = listOf(stringFormat).read(schema['required'] ?? [], path.at('required'));
  const unknown = required.find((name) => !names.includes(name));
  if (unknown !== undefined) path.at('required').fail('Expected names of fields.');
  return { type: 'object', properties: Object.fromEntries(fields), required: [...required] };
}

function readField(value: JsonValue | undefined, path: JsonPath): JsonObject {
  const field = jsonObjectFormat.read(value, path);
  const { type, items } = field;
  const known = Object.entries(field).filter(
    ([name, member]) =>
      (TEXTS.includes(name) && typeof member === 'string') ||
      (NUMBERS.includes(name) && typeof member === 'number' && Number.isFinite(member)),
  );
  const shared = { ...Object.fromEntries(known), ...defaultOf(field) };
  switch (type) {
    case 'string':
      return { ...shared, type, ...choicesOf(field, 'oneOf', path) };
    case 'number':
    case 'integer':
    case 'boolean':
      return { ...shared, type };
    case 'array': {
      const item = jsonObjectFormat.read(items, path.at('items'));
      const choices = choicesOf(item, 'anyOf', path.at('items'));
      return { ...shared, type, items: { type: 'string', ...choices } };
    }
    default:
      return path.at('type').fail('Expected the type of a field.');
  }
}

function defaultOf({ default: value }: JsonObject): JsonObject {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return value !== undefined && (isPlain || isList) ? { default: value } : {};
}

/** Returns the values that a person can choose from, written as a list or with titles. */
function choicesOf(field: JsonObject, titled: 'oneOf' | 'anyOf', path: JsonPath): JsonObject {
  const { enum: plain, [titled]: options } = field;
  const listed =
    plain ??
    (Array.isArray(options)
      ? options.map((option) => (isPlainObject(option) ? option['const'] : undefined))
      : undefined);
  if (listed === undefined) return {};
  const values = listOf(stringFormat).read(listed, path.at('enum'));
  if (values.length === 0 || values.length > MAX_CHOICES) {
    return path.at('enum').fail(`Expected 1 to ${MAX_CHOICES} values.`);
  }
  return { enum: [...values] };
}
