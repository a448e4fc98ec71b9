// The desk file of the image: agents, store and access. `holdpoint serve` and `holdpoint worker` open it.
import { timingSafeEqual } from 'node:crypto';
import { type Authorize, postgresStore } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { Pool } from 'pg';
import { z } from 'zod';

const refund = tool({
  name: 'refund',
  description: 'Refund an order.',
  inputSchema: z.object({ order: z.string() }),
  requiresApproval: true,
  execute: ({ order }) => `Order ${order} was refunded.`,
});

// A model without a provider, so that the deployment can be tried out. Replace it, for example by `openai('gpt-5')`.
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.kind === 'user-prompt' ? calls('refund', { order: 'A-1' }) : says('Done.');
});

const clerk = new Agent({
  name: 'clerk',
  model,
  tools: [refund],
  output: [String, DeferredToolRequests],
});

const DAY_MS = 24 * 60 * 60_000;

const pool = new Pool({ connectionString: process.env['HOLDPOINT_DATABASE'], max: 10 });

/** Accepts the secret of the API. Replace it by sign-in with your identity provider. */
const authorize: Authorize = ({ headers }) => {
  const given = Buffer.from(headers.get('authorization') ?? '');
  const expected = Buffer.from(`Bearer ${process.env['DESK_TOKEN']}`);
  const isEqual = given.length === expected.length && timingSafeEqual(given, expected);
  return isEqual ? { tenant: 'default', person: { id: 'operator' } } : undefined;
};

export default {
  store: await postgresStore({ pool, migrate: false }),
  agents: { clerk: { agent: clerk } },
  authorize,
  retention: { messages: 90 * DAY_MS, runs: 365 * DAY_MS },
};
