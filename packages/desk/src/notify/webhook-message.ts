import type { JsonObject, JsonValue } from 'holdpoint';
import type { Webhook } from 'standardwebhooks';
import type { OutboxRow } from '../model/outbox-row.ts';

/** What an event may say to others beside its kind: ids and states. */
const TOLD: readonly string[] = [
  'agent',
  'conversationId',
  'count',
  'grantId',
  'holdId',
  'outcome',
  'votes',
];

/** The body of a message. Nothing that a model or a tool has written is in it. */
export function webhookBody({ kind, at, tenant, runId, data }: OutboxRow): string {
  const told = Object.entries(data).filter(
    ([name, value]) => TOLD.includes(name) && isPlain(value),
  );
  const said: JsonObject = { tenant, runId, ...Object.fromEntries(told) };
  return JSON.stringify({ type: kind, timestamp: new Date(at).toISOString(), data: said });
}

function isPlain(value: JsonValue): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** The headers of a message: who it is from, and that it was sent now. */
export function webhookHeaders(
  id: string,
  body: string,
  signers: readonly Webhook[],
  now: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'holdpoint-desk',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, now, body)).join(' '),
  };
}
