// Waits until a test process has ended, then kills its processes and removes its folders: node caretaker.ts
// The last line of its input lists them as JSON.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Leftovers } from '../support/leftovers.ts';

let last = '{"processes":[],"folders":[]}';
for await (const line of createInterface(process.stdin)) last = line;

// The test writes these lines.
const { processes, folders } = JSON.parse(last) as Leftovers;
for (const pid of processes) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}
for (const folder of folders) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
