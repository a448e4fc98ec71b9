import { z } from '@hono/zod-openapi';
import type { JsonObject } from 'holdpoint';
import { OUTBOX_KINDS, type OutboxKind, type OutboxRow } from '../../model/outbox-row.ts';
import { isoTime, jsonObjectSchema, timeSchema } from './schemas.ts';

/** An event of a run. It has ids and states only: read the run or the hold for the rest. */
export interface EventView {
  /** The same in every delivery of the event. */
  readonly id: string;
  readonly kind: OutboxKind;
  readonly runId: string;
  readonly data: JsonObject;
  readonly at: string;
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
  return { id, kind, runId, data, at: isoTime(at) };
}
