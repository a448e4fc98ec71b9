import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * Executes a program of this folder in another process, and returns the JSON on the last line of its output.
 * Stories are faster there than in a test worker, which reads every import through a getter.
 */
export async function executeProgram<Result>(
  program: string,
  args: readonly string[],
  signal?: AbortSignal | undefined,
): Promise<Result> {
  const options = ['--conditions=holdpoint-source', join(import.meta.dirname, program)];
  const { stdout } = await execute(process.execPath, [...options, ...args], {
    maxBuffer: 64 * 1024 * 1024,
    signal,
  });
  // The program prints a result of this type.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Result;
}
