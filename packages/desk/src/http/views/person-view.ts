import { z } from '@hono/zod-openapi';
import type { Person } from '../../model/person.ts';

/** Somebody, as people are shown. */
export const personSchema: z.ZodType<Person> = z
  .strictObject({ id: z.string(), name: z.string().optional() })
  .openapi('Person');
