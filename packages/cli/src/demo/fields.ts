import { fromJsonSchema, type StandardSchema } from 'holdpoint';

/** A member of a tool's arguments. */
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

/** Creates a schema whose members are all required. It replaces a schema library, which the demo does not install. */
export function fields<const Fields extends Readonly<Record<string, Field>>>(
  properties: Fields,
): StandardSchema<Values<Fields>, Values<Fields>> {
  const required = Object.keys(properties);
  const schema = { type: 'object', properties, required, additionalProperties: false };
  return fromJsonSchema(schema, (value) => {
    const members = new Map<string, unknown>(Object.entries(Object(value)));
    const unknown = [...members.keys()].find((name) => !required.includes(name));
    if (unknown !== undefined) throw new Error(`Unknown argument \`${unknown}\`.`);
    for (const [name, field] of Object.entries(properties))
      validate(name, members.get(name), field);
    return value as Values<Fields>; // validated above
  });
}

const TEXT = { type: 'string' } as const;

/** Creates a schema whose members are required strings. */
export function texts<const Name extends string>(
  ...names: readonly Name[]
): StandardSchema<Record<Name, string>, Record<Name, string>> {
  const schema = fields(Object.fromEntries(names.map((name) => [name, TEXT])));
  // Every member is a string.
  return schema as StandardSchema<Record<Name, string>, Record<Name, string>>;
}

function validate(name: string, value: unknown, { type, minimum, maximum }: Field): void {
  if (typeof value !== type) throw new Error(`\`${name}\` must be a ${type}.`);
  if (typeof value !== 'number') return;
  if (minimum !== undefined && value < minimum) {
    throw new Error(`\`${name}\` must be at least ${minimum}.`);
  }
  if (maximum !== undefined && value > maximum) {
    throw new Error(`\`${name}\` must be at most ${maximum}.`);
  }
}
