// Starts two servers over one database, as two machines would, and checks their behaviour.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { prepareShop } from './agent.ts';
import { RunStore } from './runs.ts';
import { ApprovalService } from './service.ts';
import { takeTour } from './tour.ts';

/** Starts a server for a service, on a free port. */
type Listen = (service: ApprovalService) => Promise<Server>;

export async function present(listen: Listen): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
  const path = join(folder, 'shop.sqlite');
  try {
    await using here = await start(path, listen);
    if (process.env['HOLDPOINT_MODEL']) return await stay(here.url);
    await using there = await start(path, listen);
    await takeTour(path, [here.url, there.url]);
    console.log('Requested at one server, approved at two at once, refunded once.');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function start(path: string, listen: Listen) {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  prepareShop({ database });
  const server = await listen(new ApprovalService({ database }, new RunStore(database)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      database.close();
    },
  };
}

async function stay(url: string): Promise<void> {
  console.log(`Start:   curl ${url}/runs --json '{"prompt":"The lamp of order 17 is broken."}'`);
  console.log(`List:    curl ${url}/runs`);
  console.log(`Approve: curl ${url}/runs/<id>/results --json '{"holdpoint":"results","version":1,`);
  console.log(`           "approvals":{"<call>":true},"digests":{"<call>":"<digest>"}}'`);
  await once(process, 'SIGINT');
}
