// An executor of approved requests, which kills and freezes itself at random: node executor.cjs <setup as JSON>
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError, type DeskRequests, type RequestClaim } from '@holdpoint/desk';
import { seededRandom } from 'holdpoint/testing';
import { exitWithTest } from '../support/crash/fault-injector.ts';
import { type ExecutorSetup, openOutsideDesk, OWNER } from '../support/crash/executor-setup.ts';
import { openStore } from '../support/crash/store-spec.ts';

const KILLED = 0.1;
const FROZEN = 0.08;
const PAUSE_MS = 20;

async function main({ store: spec, requests: ids, journal, seed, lease }: ExecutorSetup) {
  exitWithTest();
  const random = seededRandom(seed);
  const { requests } = openOutsideDesk(await openStore(spec));
  const disturb = () => {
    const luck = random();
    if (luck < KILLED) process.kill(process.pid, 'SIGKILL');
    // The test resumes it after the lease.
    else if (luck < KILLED + FROZEN) process.kill(process.pid, 'SIGSTOP');
  };
  const write = (...line: readonly (string | number)[]) =>
    appendFileSync(journal, `${line.join(' ')}\n`);
  for (;;) {
    const id = ids[Math.floor(random() * ids.length)] ?? '';
    const claim = await claimed(requests, id, lease);
    if (claim === undefined) {
      await sleep(PAUSE_MS);
      continue;
    }
    const { token, fence } = claim;
    disturb();
    try {
      await requests.heartbeat(id, { by: OWNER, token, lease });
      disturb();
      write('effect', id, fence);
      disturb();
      await requests.settle(id, { kind: 'value', value: fence }, { by: OWNER, token });
      write('settled', id, fence);
    } catch (error) {
      requireLost(error);
      write('lost', id, fence);
    }
  }
}

async function claimed(
  requests: DeskRequests,
  id: string,
  lease: number,
): Promise<RequestClaim | undefined> {
  try {
    return await requests.claim(id, { by: OWNER, lease });
  } catch (error) {
    requireLost(error);
    return undefined;
  }
}

/** The desk rejects a claim or a settlement; a store that is busy rejects it, too. */
function requireLost(error: unknown): void {
  if (error instanceof DeskError && /^(request-|store-)/.test(error.code)) return;
  throw error;
}

// The test passes the setup.
void main(JSON.parse(process.argv[2] ?? '') as ExecutorSetup);
