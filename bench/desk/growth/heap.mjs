import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the bytes that are reachable, after garbage collections. */
export async function heapUsed() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let times = 0; times < 4; times++) {
    collect();
    await sleep(20);
  }
  const { heapUsed: heap, external } = process.memoryUsage();
  return heap + external;
}
