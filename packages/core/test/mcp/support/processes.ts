import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The processes of MCP servers that this process has started and that still run. */
export async function runningServers(): Promise<readonly number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    const isServer = /server-everything|server-filesystem|-server\.ts/.test(command.join(' '));
    return isServer && Number(parent) === process.pid ? [Number(pid)] : [];
  });
}

/** Kills the processes, and waits until this process is notified. */
export async function killServers(): Promise<void> {
  for (const pid of await runningServers()) process.kill(pid, 'SIGKILL');
  while ((await runningServers()).length > 0) await sleep(10);
  await sleep(50);
}
