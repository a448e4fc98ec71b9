import { tool } from 'holdpoint';
import { z } from 'zod';

/** A tool that records its arguments. */
export function workTool() {
  const log: string[] = [];
  const work = tool({
    name: 'work',
    inputSchema: z.object({ on: z.string() }),
    execute({ on }) {
      log.push(on);
      return `${on} done`;
    },
  });
  return { log, work };
}
