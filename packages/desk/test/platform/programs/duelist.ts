// A person who answers each hold at a given time, as another one does: node duelist.cjs <duel as JSON>
// When the first one is, the test says when it is ready.
import { once } from 'node:events';
import { HoldSettledError, openDesk } from '@holdpoint/desk';
import { Doom, endWithTest, say, sayReady } from '../support/crash/doom.ts';
import type { Duel } from '../support/crash/messages.ts';
import { openStore } from '../support/crash/store-spec.ts';
import { tellerAgent } from '../support/crash/teller.ts';

async function main({ store: spec, by, kind, holds, everyMs }: Duel): Promise<void> {
  const told = once(process.stdin, 'data');
  endWithTest();
  const store = await openStore(spec);
  const agent = tellerAgent('', new Doom(undefined));
  const desk = openDesk({ store, agents: { teller: { agent } } });
  // The first transaction of a process takes longer than others.
  await desk.holds({ limit: 1 });
  sayReady();
  const [line] = await told;
  const beginsAt = Number(line);
  for (const [index, { holdId, digest }] of holds.entries()) {
    // No timer is exact enough.
    while (Date.now() < beginsAt + index * everyMs);
    const at = Date.now();
    const answer = { kind };
    try {
      await desk.answer(holdId, answer, { by: { id: by }, digest });
      say({ kind: 'answered', holdId, digest, by, answer, at });
    } catch (error) {
      if (!(error instanceof HoldSettledError)) throw error;
      say({ kind: 'refused', holdId, by: error.answer?.by.id, at });
    }
  }
  await store.close();
  // It still listens for the end of the test.
  process.exit();
}

// The parameter is what the test has put there.
void main(JSON.parse(process.argv[2] ?? '') as Duel);
