import { fromJsonSchema, type StandardSchema } from 'holdpoint';

/** A member of the arguments of a tool: what type it has, and what people are told about it. */
export type Field = {
  readonly type: 'string' | 'number';
  readonly title?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
};

type Values<Fields extends Readonly<Record<string, Field>>> = {
  readonly [Name in keyof Fields]: Fields[Name]['type'] extends 'number' ? number : string;
};

/** What a tool takes, all of it needed. It stands in for a library of schemas, which the demo does not install. */
export function fields<const Fields extends Readonly<Record<string, Field>>>(
  properties: Fields,
): StandardSchema<Values<Fields>, Values<Fields>> {
  const required = Object.keys(properties);
  const schema = { type: 'object', properties, required, additionalProperties: false };
  return fromJsonSchema(schema, (value) => {
    const members = new Map<string, unknown>(Object.entries(Object(value)));
    const unknown = [...members.keys()].find((name) => !required.includes(name));
    if (unknown !== undefined) throw new Error(`There is no argument '${unknown}'.`);
    for (const [name, field] of Object.entries(properties)) check(name, members.get(name), field);
    return value as Values<Fields>; // it was looked at above
  });
}

function check(name: string, value: unknown, { type, minimum, maximum }: Field): void {
  if (typeof value !== type) throw new Error(`'${name}' must be a ${type}.`);
  if (typeof value !== 'number') return;
  if (minimum !== undefined && value < minimum)
    throw new Error(`'${name}' is at least ${minimum}.`);
  if (maximum !== undefined && value > maximum) throw new Error(`'${name}' is at most ${maximum}.`);
}
