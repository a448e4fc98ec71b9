import { InvalidJsonError } from '../errors/user-errors.ts';
import { isPlainObject, MAX_DEPTH } from './json.ts';

/**
 * JSON in the one way to write it (RFC 8785): no spaces, members in the order of their names' UTF-16
 * code units, numbers and texts as ECMAScript writes them.
 *
 * Two values have the same text exactly if JSON cannot tell them apart; -0 is 0 there. Halves of
 * surrogate pairs, which the RFC has no place for, are written as escapes. Anything that is not plain
 * JSON already is an error that names its place, starting at `path`: it is never converted.
 */
export function canonicalJson(value: unknown, path = 'value'): string {
  return write(value, [path]);
}

/** `place` is the way down from the name of the whole to the value. */
function write(value: unknown, place: (string | number)[]): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (Number.isFinite(value)) return JSON.stringify(value);
      throw mistake(place, `${value} is not a number that JSON has.`);
    case 'object':
      return value === null ? 'null' : writeNested(value, place);
    default:
      throw mistake(place, `${value === undefined ? value : `a ${typeof value}`} is not JSON.`);
  }
}

function writeNested(value: object, place: (string | number)[]): string {
  if (place.length > MAX_DEPTH) throw mistake(place, `has more than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    const items: string[] = [];
    for (let index = 0; index < value.length; index++) {
      items.push(writeMember(index, value[index], place));
    }
    return `[${items.join(',')}]`;
  }
  if (!isPlainObject(value)) throw mistake(place, 'only plain objects and arrays are JSON.');
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${writeMember(name, value[name], place)}`);
  return `{${members.join(',')}}`;
}

function writeMember(key: string | number, member: unknown, place: (string | number)[]): string {
  place.push(key);
  const text = write(member, place);
  place.pop();
  return text;
}

function mistake([whole, ...keys]: readonly (string | number)[], problem: string): Error {
  const steps = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
  return new InvalidJsonError(`${whole}${steps.join('')}`, problem);
}
