import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readResult } from './print-result.mjs';

const bench = fileURLToPath(new URL('..', import.meta.url));

/**
 * Executes a program of this folder in a new process. Returns its result, `{ error }` or
 * `{ timeout }`.
 */
export function runChild(args, timeoutSeconds) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: bench, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errorOutput = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      resolve({ timeout: timeoutSeconds });
    }, timeoutSeconds * 1000);
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      errorOutput = (errorOutput + data).slice(-4000);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(readResult(output) ?? { error: errorLine(errorOutput) ?? `ended with ${code}` });
    });
  });
}

/** Returns the message of the thrown error, or the fatal error of the JavaScript engine. */
function errorLine(text) {
  const line = text.match(/^(.+)\n\s+at /m)?.[1] ?? text.match(/^.*FATAL.*$/m)?.[0];
  const lines = text
    .trim()
    .split('\n')
    .filter((one) => one !== '' && !one.startsWith('Node.js v'));
  return (line ?? lines.at(-1))?.slice(0, 200) || undefined;
}
