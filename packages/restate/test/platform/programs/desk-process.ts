// A process that serves a desk to Restate until it is killed: node desk-process.ts <setup as JSON>
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';
import { serveDesk } from '../../../src/index.ts';
import { joinBalancer } from '../../support/balancer.ts';
import type { DeskProcessSetup } from '../../support/desk-process.ts';

const never = () => new Promise<never>(() => {});

async function main(setup: DeskProcessSetup): Promise<void> {
  process.stdin.once('end', () => process.exit()).resume();
  const { database, effects, ingress, port = 0, control, lease, sweepMs, version, hangs } = setup;
  const execute = async ({ to }: { to: string }) => {
    appendFileSync(effects, `${to}\n`);
    if (hangs === 'calls') await never();
    return `done ${to}`;
  };
  const inputSchema = z.object({ to: z.string() });
  const agent = new Agent({
    model: functionModel(async ({ messages }) => {
      if (hangs === 'model' || hangs === 'slow-model') {
        appendFileSync(effects, `${hangs}\n`);
        await (hangs === 'model' ? never() : sleep(2_000));
      }
      const last = messages.at(-1)?.parts.at(-1);
      if (last?.kind !== 'user-prompt') return says(`Done by ${version}.`);
      const wanted = [...String(last.content).matchAll(/(pay|book) (\w+)/g)];
      return responds(...wanted.map(([, name = '', to = '']) => calls(name, { to })));
    }),
    tools: [
      tool({ name: 'pay', inputSchema, requiresApproval: true, execute }),
      tool({ name: 'book', inputSchema, execute }),
      // Other versions have other tools.
      tool({ name: `tool_of_${version}`, inputSchema, execute }),
    ],
    output: [String, DeferredToolRequests],
  });
  const store = await sqliteStore({ path: database });
  const desk = openDesk({ store, lease, agents: { teller: { agent } }, onError: () => {} });
  const served = serveDesk(desk, {
    ingress,
    sweepMs,
    onError: () => {},
    logger: () => {},
  });
  const used = await served.listen(port);
  if (control !== undefined) joinBalancer(control, used);
  console.log(used);
}

// The test passes the setup.
void main(JSON.parse(process.argv[2] ?? '') as DeskProcessSetup);
