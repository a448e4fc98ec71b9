import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/** Processes and folders that would stay if this process ended now. */
export interface Leftovers {
  readonly processes: readonly number[];
  readonly folders: readonly string[];
}

const CARETAKER = join(import.meta.dirname, '../programs/caretaker.ts');

const processes = new Set<number>();
const folders = new Set<string>();
let caretaker: Writable | undefined;

/** Kills a process when this one ends in any way. A frozen process cannot notice that by itself. */
export function killAtExit(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  processes.add(pid);
  updateCaretaker();
  child.once('exit', () => {
    processes.delete(pid);
    updateCaretaker();
  });
}

/** Removes a folder when this process ends. */
export function removeAtExit(folder: string): void {
  folders.add(folder);
  updateCaretaker();
}

function updateCaretaker(): void {
  caretaker ??= startCaretaker();
  const left: Leftovers = { processes: [...processes], folders: [...folders] };
  caretaker.write(`${JSON.stringify(left)}\n`);
}

/** Starts a process that cleans up when its standard input ends. */
function startCaretaker(): Writable {
  // Detached, so that an interrupt at the terminal does not end it.
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CARETAKER], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  // Without its parent nothing else ends this process, because the database server handles signals.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  child.stdin.on('error', () => {});
  return child.stdin;
}
