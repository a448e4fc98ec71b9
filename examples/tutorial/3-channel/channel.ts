// A channel of a chat service, as a receiver of webhooks. A manager presses a button in a message.
import { serve, type ServerType } from '@hono/node-server';
import { verifyWebhook, WebhookRejectedError } from '@holdpoint/desk/webhooks';
import type { AddressInfo } from 'node:net';
import type { ShopDesk } from '../2-desk/desk.ts';

/** A message in the channel. */
export interface ChannelMessage {
  readonly text: string;
  readonly holdId: string;
  /** The digest of the call as the message shows it. */
  readonly digest: string;
}

/** A started receiver. */
export interface Channel {
  readonly url: string;
  readonly messages: readonly ChannelMessage[];
  /** Shows the calls of this desk. The desk needs the address of the receiver first. */
  connect(desk: ShopDesk): void;
  close(): void;
}

// #region receive
/** Starts a receiver that posts a message for each pending call. */
export async function openChannel(secret: string): Promise<Channel> {
  const messages: ChannelMessage[] = [];
  const seen = new Set<string>();
  let shown: ShopDesk | undefined;
  const receive = async (request: Request) => {
    try {
      const event = await verifyWebhook(request, secret);
      if (event.kind !== 'hold-opened' || seen.has(event.id)) return new Response(null);
      if (shown === undefined) return new Response(null, { status: 503 });
      // Events have ids only. Read the rest from the desk, and never from the webhook.
      const { id, digest, preview, requester } = await shown.hold(event.holdId);
      messages.push({ text: `${requester?.name}: ${String(preview)}`, holdId: id, digest });
      seen.add(event.id);
      return new Response(null);
    } catch (error) {
      if (!(error instanceof WebhookRejectedError)) throw error;
      return new Response(error.message, { status: 401 });
    }
  };
  const { server, url } = await listen(receive);
  return { url, messages, connect: (desk) => (shown = desk), close: () => server.close() };
}
// #endregion

// #region button
/** A manager pressed a button. Map the users of your chat service to ids and roles. */
export async function press(
  desk: ShopDesk,
  { holdId, digest }: ChannelMessage,
  kind: 'approve' | 'deny',
): Promise<void> {
  const manager = { by: { id: 'grace', name: 'Grace' }, roles: ['manager'] };
  await desk.decide(holdId, { kind }, { ...manager, digest });
}
// #endregion

function listen(
  fetch: (request: Request) => Promise<Response>,
): Promise<{ server: ServerType; url: string }> {
  return new Promise((resolve) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) =>
      resolve({ server, url: `http://127.0.0.1:${port}` }),
    );
  });
}
