// A process that performs tasks for Restate until it is killed: node worker.cjs <setup as JSON>
import { openDesk } from '@holdpoint/desk';
import { faultInjectingStore } from '../../../../desk/test/platform/support/crash/fault-injecting-store.ts';
import {
  exitWithTest,
  FaultInjector,
  sendReady,
} from '../../../../desk/test/platform/support/crash/fault-injector.ts';
import type { Setup } from '../../../../desk/test/platform/support/crash/messages.ts';
import { openStore } from '../../../../desk/test/platform/support/crash/store-spec.ts';
import { tellerAgent } from '../../../../desk/test/platform/support/crash/teller.ts';
import { serveDesk } from '../../../src/index.ts';
import { joinBalancer } from '../../support/balancer.ts';
import { readStorm } from '../../support/storm-setup.ts';

const CONCURRENCY = 3;

async function work({ store: spec, effects, lease, fault }: Setup): Promise<void> {
  exitWithTest();
  const { ingress, control, isMixed, hasNoSweep } = readStorm();
  const faults = new FaultInjector(fault);
  const desk = openDesk({
    store: faultInjectingStore(await openStore(spec), faults),
    agents: { teller: { agent: tellerAgent(effects, faults) } },
    lease,
    maxAttempts: 1_000,
    onError: (error) => console.error(error),
  });
  if (isMixed && process.pid % 2 === 0) {
    sendReady();
    return desk.startWorker({ concurrency: CONCURRENCY, pollMs: 200 });
  }
  const served = serveDesk(desk, {
    ingress,
    concurrency: CONCURRENCY,
    sweepMs: hasNoSweep ? 0 : 300,
    onError: () => {},
    logger: () => {},
  });
  joinBalancer(control, await served.listen(0));
  sendReady();
}

// The test passes the setup.
void work(JSON.parse(process.argv[2] ?? '') as Setup);
