import { z } from '@hono/zod-openapi';
import type { Endpoint } from './endpoint.ts';

/** Whether the desk can be used. */
export interface Health {
  readonly status: 'ok';
}

export const getHealth: Endpoint<unknown, unknown, unknown, Health> = {
  method: 'get',
  path: '/health',
  name: 'getHealth',
  summary: 'Says that the desk answers, and its store too.',
  status: 200,
  result: z.strictObject({ status: z.literal('ok') }).openapi('Health'),
  async handle({ desk }) {
    await desk.latestEvent();
    return { status: 'ok' };
  },
};
