// Agents at a desk. Their models depend on the history alone, so any process can resume a run.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Agent,
  DeferredToolRequests,
  ExternalToolset,
  type Message,
  type RunContext,
  tool,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The file that the tools write to. */
export type Journal = string;

const output = [String, DeferredToolRequests] as const;

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  requiresApproval: true,
  preview: ({ to, euros }) => `Pay €${euros} to ${to}.`,
  execute({ to, euros }, { deps: journal }: RunContext<Journal>) {
    appendFileSync(journal, `paid ${euros} to ${to}\n`);
    return `Paid €${euros} to ${to}.`;
  },
});

/** Makes two calls for `pay ada 40, ask grace`, and repeats their results. */
const payer = functionModel(({ messages }) => {
  const prompt = promptOf(messages);
  if (prompt === undefined) return says(`Results: ${lastResults(messages)}`);
  if (prompt === 'crash') throw new Error('The model crashed.');
  return responds(
    ...[...prompt.matchAll(/pay (\S+) (\d+)/g)].map(([, to = '', euros]) =>
      calls('pay', { to, euros: Number(euros) }),
    ),
    ...[...prompt.matchAll(/ask (\S+)/g)].map(([, whom = '']) => calls('ask_owner', { whom })),
  );
});

function promptOf(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.kind === 'user-prompt' && typeof last.content === 'string'
    ? last.content
    : undefined;
}

function lastResults(messages: readonly Message[]): string {
  const parts = messages.at(-1)?.parts ?? [];
  return parts.map((part) => ('content' in part ? String(part.content) : part.kind)).join(' | ');
}

export const cashier = new Agent({
  name: 'cashier',
  model: payer,
  tools: [pay],
  toolsets: [new ExternalToolset([{ name: 'ask_owner' }])],
  output,
});

const STEP_MS = 200;

const tick = tool({
  name: 'tick',
  async execute(_args, { deps: journal }: RunContext<Journal>) {
    appendFileSync(journal, 'tick\n');
    await sleep(STEP_MS);
    return 'tock';
  },
});

/** Calls its tool until the history is long. */
export const clock = new Agent({
  name: 'clock',
  model: functionModel(({ messages }) => (messages.length < 200 ? calls('tick') : says('Late.'))),
  tools: [tick],
  output,
});
