// A desk that approves the refunds of other programs, at a port.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { openDesk, sqliteStore } from '@holdpoint/desk';

// #region desk
export const desk = openDesk({
  store: await sqliteStore(),
  agents: {},
  requests: {
    tools: {
      refund: {
        title: 'Refund',
        approvers: ({ args }) => ({
          roles: ['cashier'],
          count: Number(Object(args).euros) >= 1_000 ? 2 : 1,
          notRequester: true,
        }),
        schema: {
          type: 'object',
          properties: { order: { type: 'string' }, euros: { type: 'number', maximum: 5_000 } },
          required: ['order', 'euros'],
          additionalProperties: false,
        },
      },
    },
  },
});
// A worker expires requests, and opens a hold when an executor has died.
void desk.startWorker();
// #endregion

// #region key
const { key } = await desk.keys.create({
  account: 'shop',
  scopes: ['request'],
  by: { id: 'ada' },
});
// #endregion

let waiting = 0;

/** Returns the number of programs that wait for a decision. */
export function waitingPrograms(): number {
  return waiting;
}

async function respond(request: Request): Promise<Response> {
  const isWaiting = new URL(request.url).searchParams.has('wait');
  if (isWaiting) waiting += 1;
  try {
    return await desk.fetch(request);
  } finally {
    if (isWaiting) waiting -= 1;
  }
}

const server = serve({ fetch: respond, port: 0, hostname: '127.0.0.1' });
await once(server, 'listening');
// A server that listens at a port has an address of this form.
const { port } = server.address() as AddressInfo;

/** The environment of a program that uses the desk. */
export const credentials = { HOLDPOINT_URL: `http://127.0.0.1:${port}`, HOLDPOINT_KEY: key };

/** Ends the server and the desk. */
export async function closeDesk(): Promise<void> {
  server.close();
  await desk.close();
}
