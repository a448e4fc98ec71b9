import { Webhook } from 'standardwebhooks';
import { WebhookRefusedError } from './webhook-refused-error.ts';

/** What a desk tells a receiver. */
export interface WebhookEvent {
  /** The same whenever the same event is told again: drop those that you know. */
  readonly id: string;
  /** What has happened, such as `hold-opened`. */
  readonly type: string;
  /** When it has happened, in milliseconds since 1970. */
  readonly at: number;
  readonly tenant: string;
  readonly runId: string;
  /** All ids and states, such as `holdId`. */
  readonly data: Readonly<Record<string, string | number | boolean>>;
}

const TOLERANCE_S = 5 * 60;
const MOST_BYTES = 100_000;

/**
 * The event in a request that a desk has sent; throws a {@link WebhookRefusedError} for one that it has not,
 * or that was sent more than five minutes ago. It reads the body.
 *
 * @param secrets - The secret that the desk has, or several while one is replaced by another.
 */
export async function verifyWebhook(
  request: Request,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const body = await readBody(request);
  const headers = Object.fromEntries(HEADERS.map((name) => [name, request.headers.get(name)]));
  if (!isSigned(headers)) throw new WebhookRefusedError('unsigned');
  const age = Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']));
  // What is no number is no age either.
  if (!(age <= TOLERANCE_S)) throw new WebhookRefusedError('too-old');
  const all = typeof secrets === 'string' ? [secrets] : secrets;
  if (!all.some((secret) => isSignedWith(secret, body, headers))) {
    throw new WebhookRefusedError('wrong-signature');
  }
  return eventOf(headers['webhook-id'], body);
}

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
type Signed = Readonly<Record<(typeof HEADERS)[number], string>>;

function isSigned(headers: Readonly<Record<string, string | null>>): headers is Signed {
  return HEADERS.every((name) => headers[name]);
}

/** The package compares in constant time. */
function isSignedWith(secret: string, body: string, headers: Signed): boolean {
  const webhook = new Webhook(secret);
  try {
    webhook.verify(body, { ...headers }, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

async function readBody({ body }: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new WebhookRefusedError('too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Whoever has the secret has written it, which may be another sender. */
function eventOf(id: string, body: string): WebhookEvent {
  const { type, timestamp, data } = parse(body);
  const at = Date.parse(String(timestamp));
  const { tenant, runId } = Object(data) as Record<string, unknown>;
  if (typeof type !== 'string' || typeof tenant !== 'string' || typeof runId !== 'string') {
    throw new WebhookRefusedError('not-from-a-desk');
  }
  // The desk sends ids and states only.
  return Object.freeze({ id, type, at, tenant, runId, data: Object.freeze(data as {}) });
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body)) as Record<string, unknown>;
  } catch {
    throw new WebhookRefusedError('not-from-a-desk');
  }
}
