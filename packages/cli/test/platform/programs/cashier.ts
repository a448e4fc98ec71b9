// Agents at a desk: their models go by the history alone, so any process can go on, and their tools write to a file.
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

/** The file in which the tools write what they have done. */
export type Journal = string;

const output = [String, DeferredToolRequests] as const;

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  requiresApproval: true,
  preview: ({ to, euros }) => `${euros} euros go to ${to}.`,
  execute({ to, euros }, { deps: journal }: RunContext<Journal>) {
    appendFileSync(journal, `paid ${euros} to ${to}\n`);
    return `${to} has ${euros} euros`;
  },
});

/** `pay ada 40, ask grace` are two calls; to their results it answers with what it was told. */
const payer = functionModel(({ messages }) => {
  const asked = promptOf(messages);
  if (asked === undefined) return says(`I was told: ${toldLast(messages)}`);
  return responds(
    ...[...asked.matchAll(/pay (\S+) (\d+)/g)].map(([, to = '', euros]) =>
      calls('pay', { to, euros: Number(euros) }),
    ),
    ...[...asked.matchAll(/ask (\S+)/g)].map(([, whom = '']) => calls('ask_owner', { whom })),
  );
});

function promptOf(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.kind === 'user-prompt' && typeof last.content === 'string'
    ? last.content
    : undefined;
}

function toldLast(messages: readonly Message[]): string {
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

/** Never done on its own: it calls its tool until the history is long. */
export const clock = new Agent({
  name: 'clock',
  model: functionModel(({ messages }) => (messages.length < 200 ? calls('tick') : says('Late.'))),
  tools: [tick],
  output,
});
