import { fromJsonSchema, type StandardSchema } from 'holdpoint';

/** What a tool takes whose arguments are texts, all of them needed. */
export function texts<const Name extends string>(
  ...names: readonly Name[]
): StandardSchema<Record<Name, string>, Record<Name, string>> {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const schema = { type: 'object', properties, required: [...names], additionalProperties: false };
  return fromJsonSchema(schema, (value) => {
    const members = Object.entries(Object(value));
    const unknown = members.find(([name]) => !names.some((known) => known === name));
    if (unknown !== undefined) throw new Error(`There is no argument '${unknown[0]}'.`);
    for (const name of names) {
      if (!members.some(([key, text]) => key === name && typeof text === 'string')) {
        throw new Error(`'${name}' must be a text.`);
      }
    }
    return value as Record<Name, string>; // it was looked at above
  });
}
