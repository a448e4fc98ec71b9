import { Agent, type RunContext, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';
import { lastContents, output } from '../../support/bank.ts';

/** A log of the effects of tools. */
export interface Journal {
  push(line: string): unknown;
}

/** Calls two reads and two writes in one response. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt') return says(`Results: ${lastContents(messages)}`);
  return responds(
    calls('read_file', { path: 'a.txt' }),
    calls('write_file', { path: 'b.txt', text: 'B' }),
    calls('read_file', { path: 'c.txt' }),
    calls('write_file', { path: 'd.txt', text: 'D' }),
  );
});

/** The agent of the old or the newer code. In the newer code, a tool has other arguments. */
export function filesAgent(code: 'older' | 'newer') {
  const path = z.object({ path: z.string() });
  const readFile = tool({
    name: 'read_file',
    // The newer code also accepts a limit, so the approval covers another call.
    inputSchema: code === 'older' ? path : path.extend({ limit: z.number().default(1_000) }),
    requiresApproval: true,
    execute(args, ctx: RunContext<Journal>) {
      ctx.deps.push(JSON.stringify(args));
      return `contents of ${args.path}`;
    },
  });
  const writeFile = tool({
    name: 'write_file',
    inputSchema: z.object({ path: z.string(), text: z.string() }),
    requiresApproval: true,
    execute({ path: written }, ctx: RunContext<Journal>) {
      ctx.deps.push(`wrote ${written}`);
      return 'written';
    },
  });
  return new Agent({ name: 'files', model, tools: [readFile, writeFile], output });
}
