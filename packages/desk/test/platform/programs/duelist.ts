// A person who answers each hold at a given time, as another one does: node duelist.cjs <duel as JSON>
import { HoldSettledError, openDesk } from '@holdpoint/desk';
import { Doom, say } from '../support/crash/doom.ts';
import type { Duel } from '../support/crash/messages.ts';
import { openStore } from '../support/crash/store-spec.ts';
import { tellerAgent } from '../support/crash/teller.ts';

async function main({ store: spec, by, kind, holds, beginsAt, everyMs }: Duel): Promise<void> {
  const store = await openStore(spec);
  const agent = tellerAgent('', new Doom(undefined));
  const desk = openDesk({ store, agents: { teller: { agent } } });
  // The first transaction of a process takes longer than others.
  await desk.holds({ limit: 1 });
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
}

// The parameter is what the test has put there.
void main(JSON.parse(process.argv[2] ?? '') as Duel);
