import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lowerPriority } from './lower-priority.ts';

const execute = promisify(execFile);

/** Executes a program of this folder in a process of low priority, and returns the JSON on the last line of its output. */
export async function executeProgram<Result>(
  program: string,
  args: readonly string[],
  signal?: AbortSignal | undefined,
): Promise<Result> {
  const options = ['--conditions=holdpoint-source', join(import.meta.dirname, program)];
  const execution = execute(process.execPath, [...options, ...args], {
    maxBuffer: 64 * 1024 * 1024,
    signal,
  });
  lowerPriority(execution.child);
  const { stdout } = await execution;
  // The program prints a result of this type.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Result;
}
