import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, DeferredToolRequests, ExternalToolset, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';
import type { Doom } from './doom.ts';
import { addEffect } from './journal.ts';

/** A call that a run makes. */
export interface TellerCall {
  readonly name: string;
  readonly to: string;
  /** Whether nobody has to approve it. */
  readonly runsAtOnce: boolean;
}

/** The calls that a run makes, in order: four of them wait, and one runs at once. */
export function callsOf(index: string): readonly TellerCall[] {
  return [
    { name: 'book', to: `v${index}`, runsAtOnce: true },
    ...['w', 'x', 'y'].map((letter) => ({
      name: 'pay',
      to: `${letter}${index}`,
      runsAtOnce: false,
    })),
    { name: 'look_up', to: `z${index}`, runsAtOnce: false },
  ];
}

export const CALLS_THAT_WAIT = 4;

export function promptOf(index: string): string {
  return callsOf(index)
    .map(({ name, to }) => `${name} ${to}`)
    .join(', ');
}

const LONGEST_MS = 60;

/** An agent that does what its prompt says. What it does is in a file; it may be killed at any time. */
export function tellerAgent(effects: string, doom: Doom) {
  const effect = (name: string, requiresApproval: boolean) =>
    tool({
      name,
      inputSchema: z.object({ to: z.string() }),
      requiresApproval,
      async execute({ to }, ctx) {
        const [runId = ''] = ctx.runId.split('.');
        await doom.outside('execution', 'before', { call: `${name} ${to}` });
        addEffect(effects, { name, to, runId, key: String(ctx.idempotencyKey) });
        await doom.outside('execution', 'after', { runId });
        await takeTime();
        return `done: ${name} ${to}`;
      },
    });
  return new Agent({
    model: tellerModel(doom),
    tools: [effect('pay', true), effect('book', false)],
    toolsets: [new ExternalToolset([{ name: 'look_up' }])],
    output: [String, DeferredToolRequests],
  });
}

/** Goes by the history alone, so it answers alike in whichever process it is asked. */
function tellerModel(doom: Doom) {
  return functionModel(async ({ messages }) => {
    const [runId] = messages.at(-1)?.runId?.split('.') ?? [];
    await doom.outside('model', 'before', { runId });
    await takeTime();
    await doom.outside('model', 'after', { runId });
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind !== 'user-prompt') return says('That is all.');
    const wanted = [...String(last.content).matchAll(/(\w+) ([\w-]+)/g)];
    return responds(...wanted.map(([, name = '', to = '']) => calls(name, { to })));
  });
}

/** What takes time can be overtaken: whoever comes back late may meet somebody who is about to end. */
function takeTime(): Promise<void> {
  return sleep(Math.random() * LONGEST_MS);
}
