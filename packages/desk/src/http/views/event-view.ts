import { z } from '@hono/zod-openapi';
import type { JsonObject } from 'holdpoint';
import { OUTBOX_KINDS, type OutboxKind, type OutboxRow } from '../../model/outbox-row.ts';
import { jsonObjectSchema, timeSchema } from './json-schema.ts';

/** Something that has happened. It has ids and states: ask for the rest. */
export interface EventView {
  /** The same if it is told again. */
  readonly id: string;
  readonly kind: OutboxKind;
  readonly runId: string;
  readonly data: JsonObject;
  readonly at: number;
}

export const eventSchema: z.ZodType<EventView> = z
  .strictObject({
    id: z.string(),
    kind: z.enum(OUTBOX_KINDS),
    runId: z.string(),
    data: jsonObjectSchema,
    at: timeSchema,
  })
  .openapi('Event');

export function eventView({ id, kind, runId, data, at }: OutboxRow): EventView {
  return { id, kind, runId, data, at };
}
