// A person who decides each hold at the same time as another person: node duelist.cjs <duel as JSON>
// The test sends the time of the first decision when both are ready.
import { once } from 'node:events';
import { HoldSettledError, openDesk } from '@holdpoint/desk';
import { FaultInjector, exitWithTest, send, sendReady } from '../support/crash/fault-injector.ts';
import type { Duel } from '../support/crash/messages.ts';
import { openStore } from '../support/crash/store-spec.ts';
import { tellerAgent } from '../support/crash/teller.ts';

async function main({ store: spec, by, kind, holds, everyMs }: Duel): Promise<void> {
  const input = once(process.stdin, 'data');
  exitWithTest();
  const store = await openStore(spec);
  const agent = tellerAgent('', new FaultInjector(undefined));
  const desk = openDesk({ store, agents: { teller: { agent } } });
  // The first transaction of a process takes longer than others.
  await desk.holds({ limit: 1 });
  sendReady();
  const [line] = await input;
  const beginsAt = Number(line);
  for (const [index, { holdId, digest }] of holds.entries()) {
    // No timer is exact enough.
    while (Date.now() < beginsAt + index * everyMs);
    const at = Date.now();
    const decision = { kind };
    try {
      await desk.decide(holdId, decision, { by: { id: by }, digest });
      send({ kind: 'decided', holdId, digest, by, decision, at });
    } catch (error) {
      if (!(error instanceof HoldSettledError)) throw error;
      send({ kind: 'rejected', holdId, by: error.decision?.by.id, at });
    }
  }
  await store.close();
  // The process still waits for the end of its input.
  process.exit();
}

// The test passes the duel.
void main(JSON.parse(process.argv[2] ?? '') as Duel);
