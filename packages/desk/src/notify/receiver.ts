import { createHash } from 'node:crypto';
import { UserError } from 'holdpoint';
import { Webhook } from 'standardwebhooks';
import type { OutboxRow } from '../model/outbox-row.ts';
import { ReceiverHealth } from './receiver-health.ts';
import type { WebhookOptions } from './webhook-options.ts';

/** A validated receiver of webhooks. */
export interface Receiver {
  /** The beginning of the hash of its address. The address itself may contain a secret and is not stored. */
  readonly id: string;
  /** For people. */
  readonly host: string;
  readonly url: URL;
  readonly signers: readonly Webhook[];
  readonly health: ReceiverHealth;
  /** Returns whether the receiver gets an event. */
  wants(event: OutboxRow): boolean;
}

/** Returns receivers by id. Throws for an invalid receiver. */
export function receiversOf(webhooks: readonly WebhookOptions[]): ReadonlyMap<string, Receiver> {
  const receivers = new Map<string, Receiver>();
  for (const options of webhooks) {
    const receiver = receiverOf(options);
    if (receivers.has(receiver.id)) {
      throw new UserError(
        `Two webhooks go to the same address at ${receiver.host}. Name all kinds in one of them.`,
      );
    }
    receivers.set(receiver.id, receiver);
  }
  return receivers;
}

function receiverOf({ url: address, secret, kinds }: WebhookOptions): Receiver {
  const url = requireUrl(address);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // Programs without types may leave it out. Each secret is validated with its signer.
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new UserError(`The webhook to ${url.host} has no secret. Pass \`secret\`.`);
  const wanted = kinds && new Set(kinds);
  return Object.freeze({
    id: createHash('sha256').update(url.href).digest('hex').slice(0, 16),
    host: url.host,
    url,
    signers: secrets.map((one) => signerOf(one, url.host)),
    health: new ReceiverHealth(),
    wants: ({ kind }: OutboxRow) => wanted?.has(kind) ?? true,
  });
}

/** Messages contain only the host of the address, because the rest may be a secret. */
function requireUrl(address: string): URL {
  if (typeof address !== 'string' || !URL.canParse(address))
    throw new UserError(
      'The `url` of a webhook is not an address. Pass one such as `https://example.com/hook`.',
    );
  const url = new URL(address);
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new UserError(`The webhook to ${url.host} does not use HTTP. Pass an https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UserError(
      `The address of the webhook to ${url.host} contains a password, which would not be sent. Remove it: messages are signed.`,
    );
  }
  return url;
}

const MIN_BYTES = 24;
const MAX_BYTES = 64;

function signerOf(secret: string, host: string): Webhook {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(String(secret)) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  if (length >= MIN_BYTES && length <= MAX_BYTES) return new Webhook(secret);
  throw new UserError(
    `A secret of the webhook to ${host} is not \`whsec_\` followed by ${MIN_BYTES} to ${MAX_BYTES} bytes in base64. ` +
      'Create one with: echo whsec_$(openssl rand -base64 32)',
  );
}
