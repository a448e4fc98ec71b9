import { UserError } from 'holdpoint';
import { Webhook } from 'standardwebhooks';
import type { DeskEvent } from '../../model/desk-event.ts';
import { WebhookRejectedError } from './webhook-rejected-error.ts';

/** An event that a desk sent. Its members depend on its `kind`. */
export type WebhookEvent = DeskEvent;

const TOLERANCE_S = 5 * 60;
const MAX_BYTES = 100_000;

/**
 * Returns the event in a request of a desk. It reads the body. It throws a {@link WebhookRejectedError} for a
 * request that no desk signed, or that is older than five minutes.
 *
 * @param secrets - The secret of the webhook, or several while one replaces another.
 */
export async function verifyWebhook(
  request: Request,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const all = checkSecrets(secrets);
  requireRequest(request);
  const body = await readBody(request);
  const headers = Object.fromEntries(HEADERS.map((name) => [name, request.headers.get(name)]));
  if (!isSigned(headers)) throw new WebhookRejectedError('unsigned');
  const age = Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']));
  // A time that is not a number is rejected too.
  if (!(age <= TOLERANCE_S)) throw new WebhookRejectedError('too-old');
  if (!all.some((secret) => isSignedWith(secret, body, headers))) {
    throw new WebhookRejectedError('wrong-signature');
  }
  return eventOf(headers['webhook-id'], body);
}

function checkSecrets(secrets: string | readonly string[]): readonly string[] {
  const all: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  const isValid = (secret: unknown) => typeof secret === 'string' && secret !== '';
  if (all.length === 0 || !all.every(isValid)) {
    throw new UserError(
      'A secret of `verifyWebhook` is missing or empty. Pass the `secret` of the webhook.',
    );
  }
  return all as readonly string[]; // Each of them is a text.
}

function requireRequest(request: Request): void {
  // Programs without types pass anything, such as a request of Node.
  const { headers, text }: Partial<Request> = Object(request);
  if (typeof headers?.get === 'function' && typeof text === 'function') return;
  throw new UserError('`verifyWebhook` was given no `Request`. Pass the request of the desk.');
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
    if (size > MAX_BYTES) throw new WebhookRejectedError('too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Another sender may have the same secret, so the body is validated. */
function eventOf(id: string, body: string): WebhookEvent {
  const { type, timestamp, data } = parse(body);
  const at = Date.parse(String(timestamp));
  const { tenant, runId } = Object(data) as Record<string, unknown>;
  if (typeof type !== 'string' || typeof tenant !== 'string' || typeof runId !== 'string') {
    throw new WebhookRejectedError('not-from-a-desk');
  }
  // The desk sends the details of the kind.
  return Object.freeze({ ...Object(data), id, kind: type, at }) as WebhookEvent;
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body)) as Record<string, unknown>;
  } catch {
    throw new WebhookRejectedError('not-from-a-desk');
  }
}
