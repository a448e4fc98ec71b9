import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';
import type { Page } from '../../model/page.ts';
import type { Person } from '../../model/person.ts';

/** Any JSON value. The value was parsed from JSON, so only its presence is validated. */
export const jsonSchema: z.ZodType<JsonValue> = z
  .unknown()
  .refine((value) => value !== undefined)
  .openapi({ description: 'Any JSON value.' }) as z.ZodType<JsonValue>;

/** Any JSON object. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonSchema);

/** A time in ISO 8601, by the clock of the store. */
export const timeSchema: z.ZodType<string> = z.iso.datetime();

/** The last time that a `Date` can represent. */
const MAX_TIME = 8.64e15;

/** Returns a time of the store in ISO 8601. */
export function isoTime(time: number): string {
  return new Date(Math.min(time, MAX_TIME)).toISOString();
}

/** Returns an optional time of the store in ISO 8601. */
export function optionalTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoTime(time);
}

/** A time in a query, as milliseconds since 1970. */
export const timeParam: z.ZodType<number | undefined> = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional();

export const personSchema: z.ZodType<Person> = z
  .strictObject({ id: z.string(), name: z.string().optional() })
  .openapi('Person');

/** The id of a run, a hold or a grant in a path. */
export const idSchema: z.ZodType<string> = z.string().regex(/^[0-9a-f]{32}$/);

/** A name of at most 200 characters that every database can store. */
export const nameSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text));

/** The first characters of an id, as people type them. */
export const idPrefixParam: z.ZodType<string | undefined> = z
  .string()
  .regex(/^[0-9a-f]{1,32}$/)
  .optional()
  .openapi({ description: 'Only items whose ids begin with these hexadecimal digits.' });

/** `true` or `false` in a query. */
export const booleanParam: z.ZodType<boolean | undefined> = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

/** A value of a query that may occur several times. */
export function listParam<Item>(item: z.ZodType<Item>): z.ZodType<readonly Item[] | undefined> {
  return z.preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(item).max(20).optional(),
  );
}

/** The query of a route that has no parameters. */
export const NO_QUERY: z.ZodObject<Record<never, never>> = z.strictObject({});

/** The part of a list that a query selects. */
export const pageParams: {
  readonly after: z.ZodType<string | undefined>;
  readonly limit: z.ZodType<number | undefined>;
} = {
  after: z
    .string()
    .max(2_000)
    .optional()
    .openapi({ description: 'The `next` of the previous page.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .openapi({ description: 'The maximum number of items; 50 by default.' }),
};

/** A page of a list. */
export function pageSchema<Item>(item: z.ZodType<Item>): z.ZodType<Page<Item>> {
  return z.strictObject({
    items: z.array(item),
    next: z.string().optional().openapi({
      description: 'Pass it as `after` to get the next page. Missing on the last one.',
    }),
  });
}

/** Returns a query without members that are `undefined`. */
export function definedMembers<Query extends object>(query: Query): Query {
  const defined = Object.entries(query).filter(([, value]) => value !== undefined);
  // All members of a query are optional, so fewer members are still a query.
  return Object.fromEntries(defined) as unknown as Query;
}
