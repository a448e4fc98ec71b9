// A process that works until it is killed: node worker.cjs <setup as JSON>
import { openDesk } from '@holdpoint/desk';
import { Doom, endWithTest, sayReady } from '../support/crash/doom.ts';
import type { Setup } from '../support/crash/messages.ts';
import { openStore } from '../support/crash/store-spec.ts';
import { tellerAgent } from '../support/crash/teller.ts';
import { watchedStore } from '../support/crash/watched-store.ts';

async function work({ store, effects, lease, fate }: Setup): Promise<void> {
  endWithTest();
  const doom = new Doom(fate);
  const desk = openDesk({
    store: watchedStore(await openStore(store), doom),
    agents: { teller: { agent: tellerAgent(effects, doom) } },
    lease,
    mostTries: 1_000,
    onError: (error) => console.error(error),
  });
  sayReady();
  await desk.keepWorking({ signal: new AbortController().signal, concurrency: 3, pollMs: 200 });
}

// The parameter is what the test has put there.
void work(JSON.parse(process.argv[2] ?? '') as Setup);
