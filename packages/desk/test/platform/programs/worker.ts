// A worker that executes runs until it is killed: node worker.cjs <setup as JSON>
import { openDesk } from '@holdpoint/desk';
import { FaultInjector, exitWithTest, sendReady } from '../support/crash/fault-injector.ts';
import type { Setup } from '../support/crash/messages.ts';
import { openStore } from '../support/crash/store-spec.ts';
import { tellerAgent } from '../support/crash/teller.ts';
import { faultInjectingStore } from '../support/crash/fault-injecting-store.ts';

async function work({ store, effects, webhooks, lease, fault }: Setup): Promise<void> {
  exitWithTest();
  const faults = new FaultInjector(fault);
  const desk = openDesk({
    store: faultInjectingStore(await openStore(store), faults),
    agents: { teller: { agent: tellerAgent(effects, faults) } },
    webhooks,
    lease,
    maxAttempts: 1_000,
    onError: (error) => console.error(error),
  });
  sendReady();
  await desk.startWorker({ signal: new AbortController().signal, concurrency: 3, pollMs: 200 });
}

// The test passes the setup.
void work(JSON.parse(process.argv[2] ?? '') as Setup);
