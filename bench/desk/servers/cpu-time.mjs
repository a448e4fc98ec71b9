import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in `/proc` in ticks of this length. */
const TICK_MS = 10;

/**
 * Returns the CPU time that a process and its child processes have used, in milliseconds, those that ended
 * included.
 */
export function cpuMsOfTree(pid) {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)));
  const root = stats.find((stat) => stat.pid === pid);
  if (root === undefined) throw new Error(`Process ${pid} has ended.`);
  const children = stats.filter((stat) => stat.parent === pid);
  return [root, ...children].reduce((sum, stat) => sum + cpuMsOf(stat), root.endedChildrenMs);
}

function statOf(pid) {
  try {
    // The name of the program is in parentheses and may contain spaces.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (index) => Number(fields[index]) * TICK_MS;
    return {
      pid,
      parent: Number(fields[1]),
      cpuMs: ticks(11) + ticks(12),
      endedChildrenMs: ticks(13) + ticks(14),
      threads: Number(fields[17]),
    };
  } catch {
    return [];
  }
}

/** Returns the exact time if the system counts it. That count covers one thread only. */
function cpuMsOf({ pid, cpuMs, threads }) {
  if (threads !== 1) return cpuMs;
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return cpuMs;
  }
}
