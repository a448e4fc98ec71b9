import { z } from '@hono/zod-openapi';

/** The headers of a stream of server-sent events. */
export const EVENT_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must not buffer events.
  'x-accel-buffering': 'no',
};

/** The header with which a client resumes a stream. */
export const lastEventIdHeaders: z.ZodObject<{ 'Last-Event-ID': z.ZodOptional<z.ZodString> }> =
  z.object({
    'Last-Event-ID': z
      .string()
      .optional()
      .openapi({ description: 'The id of the last event that the client received.' }),
  });
