import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';

/** Any JSON. What is checked with it was parsed from JSON, so it is enough that it is there. */
export const jsonSchema: z.ZodType<JsonValue> = z
  .unknown()
  .refine((value) => value !== undefined)
  .openapi({ description: 'Any JSON.' }) as z.ZodType<JsonValue>;

/** Any object of JSON. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonSchema);

/** A time: milliseconds since 1970, by the clock of the store. */
export const timeSchema: z.ZodType<number> = z
  .number()
  .openapi({ description: 'Milliseconds since 1970.' });
