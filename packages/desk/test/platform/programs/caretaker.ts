// Waits until a test process has ended, then ends and removes what it has left: node caretaker.ts
// What that is stands on the last line of its input, as JSON.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { LeftBehind } from '../support/left-behind.ts';

let last = '{"processes":[],"folders":[]}';
for await (const line of createInterface(process.stdin)) last = line;

// The lines are those that the test has written.
const { processes, folders } = JSON.parse(last) as LeftBehind;
for (const pid of processes) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has noticed by itself that the test is over.
  }
}
for (const folder of folders) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
