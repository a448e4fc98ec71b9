import { z } from '@hono/zod-openapi';
import type { Page, PageQuery } from '../../model/page.ts';

/** A page of a list of these. */
export function pageSchema<Item>(item: z.ZodType<Item>): z.ZodType<Page<Item>> {
  return z.strictObject({
    items: z.array(item),
    next: z
      .string()
      .optional()
      .openapi({ description: 'Give it as `after` to get what follows; absent at the end.' }),
  });
}

/** Which part of a list is wanted, as it stands in an address. */
export const pageQueryShape: {
  readonly after: z.ZodOptional<z.ZodString>;
  readonly limit: z.ZodType<number | undefined>;
} = {
  after: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
};

/** A query without members that say nothing. */
export function queryOf<Query extends PageQuery>(query: Query): Query {
  const said = Object.entries(query).filter(([, value]) => value !== undefined);
  // It only has fewer members, all of which are optional.
  return Object.fromEntries(said) as unknown as Query;
}
