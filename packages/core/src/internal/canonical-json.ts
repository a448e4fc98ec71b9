import { InvalidJsonError } from '../errors/user-errors.ts';
import { isPlainObject, MAX_DEPTH } from './json.ts';

/**
 * Serialises a value as canonical JSON (RFC 8785): no spaces, members in the order of the UTF-16 code units of their
 * names, numbers and texts as in ECMAScript.
 *
 * Two values have the same text exactly if they are equal as JSON; -0 equals 0. Lone surrogates, which the RFC does not
 * cover, are escaped. Values are not converted: everything that is not plain JSON is an error with the path of the
 * value, starting with `path`.
 */
export function canonicalJson(value: unknown, path = 'value'): string {
  return serialize(value, [path]);
}

/** `path` contains the name of the whole value and the keys that lead to the current one. */
function serialize(value: unknown, path: (string | number)[]): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (Number.isFinite(value)) return JSON.stringify(value);
      throw invalidJson(path, `${value} is not a number in JSON.`);
    case 'object':
      return value === null ? 'null' : serializeObject(value, path);
    default:
      throw invalidJson(path, `${value === undefined ? value : `a ${typeof value}`} is not JSON.`);
  }
}

function serializeObject(value: object, path: (string | number)[]): string {
  if (path.length > MAX_DEPTH) throw invalidJson(path, `has more than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    const items: string[] = [];
    for (let index = 0; index < value.length; index++) {
      items.push(serializeMember(index, value[index], path));
    }
    return `[${items.join(',')}]`;
  }
  if (!isPlainObject(value)) throw invalidJson(path, 'only plain objects and arrays are JSON.');
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${serializeMember(name, value[name], path)}`);
  return `{${members.join(',')}}`;
}

function serializeMember(key: string | number, member: unknown, path: (string | number)[]): string {
  path.push(key);
  const text = serialize(member, path);
  path.pop();
  return text;
}

function invalidJson([whole, ...keys]: readonly (string | number)[], problem: string): Error {
  const steps = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
  return new InvalidJsonError(`${whole}${steps.join('')}`, problem);
}
