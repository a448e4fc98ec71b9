import type { StandardSchema } from 'holdpoint';
import { fields } from './fields.ts';

/** What a tool takes whose arguments are texts, all of them needed. */
export function texts<const Name extends string>(
  ...names: readonly Name[]
): StandardSchema<Record<Name, string>, Record<Name, string>> {
  const text = { type: 'string' } as const;
  const schema = fields(Object.fromEntries(names.map((name) => [name, text])));
  // All of them are texts.
  return schema as StandardSchema<Record<Name, string>, Record<Name, string>>;
}
