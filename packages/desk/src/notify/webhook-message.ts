import type { Webhook } from 'standardwebhooks';
import type { DeskEvent } from '../model/desk-event.ts';

/** The members of events that receivers get. Nothing that a model or a tool wrote is among them. */
const SENT: ReadonlySet<string> = new Set([
  'agent',
  'conversationId',
  'count',
  'digest',
  'grantId',
  'holdId',
  'holdKind',
  'outcome',
  'runId',
  'tenant',
  'url',
  'votes',
]);

/** Returns the body of a message, in the form of Standard Webhooks. */
export function webhookBody(event: DeskEvent): string {
  const data = Object.fromEntries(
    Object.entries(event).filter(([name, value]) => SENT.has(name) && isPlain(value)),
  );
  const timestamp = new Date(event.at).toISOString();
  return JSON.stringify({ type: event.kind, timestamp, data });
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Returns the headers of a message, with a signature over its id, its time and its body. */
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
