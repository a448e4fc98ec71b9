import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('delay-proxy.mjs', import.meta.url));

/** Starts the delay proxy in its own process, so that its CPU time counts for no contestant. */
export function openDelayedPort(port, delayMs) {
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, [String(port), String(delayMs)], { execArgv: [], silent: true });
    child.once('exit', () => reject(new Error('The delay proxy ended.')));
    child.stdout.once('data', (text) => {
      resolve({ port: Number(text), close: () => child.kill('SIGKILL') });
    });
  });
}
