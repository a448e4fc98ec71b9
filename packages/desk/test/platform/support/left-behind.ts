import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/** What would be left if this process ended now. */
export interface LeftBehind {
  readonly processes: readonly number[];
  readonly folders: readonly string[];
}

const CARETAKER = join(import.meta.dirname, '../programs/caretaker.ts');

const processes = new Set<number>();
const folders = new Set<string>();
let told: Writable | undefined;

/** Has a process end with this one, however that ends. One that stands still could not notice by itself. */
export function endWithThis(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  processes.add(pid);
  tell();
  child.once('exit', () => {
    processes.delete(pid);
    tell();
  });
}

/** Has a folder removed at the end of this process if it is still there then. */
export function removeWithThis(folder: string): void {
  folders.add(folder);
  tell();
}

function tell(): void {
  told ??= startCaretaker();
  const left: LeftBehind = { processes: [...processes], folders: [...folders] };
  told.write(`${JSON.stringify(left)}\n`);
}

/** Starts the one who sees that this process has ended by the end of what it is told. */
function startCaretaker(): Writable {
  // Detached: whoever interrupts the tests at the terminal interrupts all that belongs to them.
  const caretaker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CARETAKER], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  caretaker.unref();
  // Who runs the tests is gone, and nothing else would end this process: the database server stays on signals.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  caretaker.stdin.on('error', () => {});
  return caretaker.stdin;
}
