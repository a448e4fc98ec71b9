import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, DeferredToolRequests, ExternalToolset, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';
import type { FaultInjector } from './fault-injector.ts';
import { addEffect } from './journal.ts';

/** A call that a run makes. */
export interface TellerCall {
  readonly name: string;
  readonly to: string;
  /** Set if the call needs no approval. */
  readonly executesAtOnce: boolean;
}

/** Returns the calls of a run in order. Four are deferred, and one executes at once. */
export function callsOf(index: string): readonly TellerCall[] {
  return [
    { name: 'book', to: `v${index}`, executesAtOnce: true },
    ...['w', 'x', 'y'].map((letter) => ({
      name: 'pay',
      to: `${letter}${index}`,
      executesAtOnce: false,
    })),
    { name: 'look_up', to: `z${index}`, executesAtOnce: false },
  ];
}

export const PENDING_CALLS = 4;

export function promptOf(index: string): string {
  return callsOf(index)
    .map(({ name, to }) => `${name} ${to}`)
    .join(', ');
}

const MAX_STEP_MS = 60;

/** An agent that makes the calls of its prompt, and records their effects in a file. */
export function tellerAgent(effects: string, faults: FaultInjector) {
  const effect = (name: string, requiresApproval: boolean) =>
    tool({
      name,
      inputSchema: z.object({ to: z.string() }),
      requiresApproval,
      async execute({ to }, ctx) {
        const [runId = ''] = ctx.runId.split('.');
        await faults.outside('execution', 'before', { call: `${name} ${to}` });
        addEffect(effects, { name, to, runId, key: String(ctx.idempotencyKey) });
        await faults.outside('execution', 'after', { runId });
        await sleepBriefly();
        return `done: ${name} ${to}`;
      },
    });
  return new Agent({
    model: tellerModel(faults),
    tools: [effect('pay', true), effect('book', false)],
    toolsets: [new ExternalToolset([{ name: 'look_up' }])],
    output: [String, DeferredToolRequests],
  });
}

/** Depends only on the history, so it responds alike in every process. */
function tellerModel(faults: FaultInjector) {
  return functionModel(async ({ messages }) => {
    const [runId] = messages.at(-1)?.runId?.split('.') ?? [];
    await faults.outside('model', 'before', { runId });
    await sleepBriefly();
    await faults.outside('model', 'after', { runId });
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind !== 'user-prompt') return says('That is all.');
    const wanted = [...String(last.content).matchAll(/(\w+) ([\w-]+)/g)];
    return responds(...wanted.map(([, name = '', to = '']) => calls(name, { to })));
  });
}

/** Sleeps for a random time, so that processes overtake each other. */
function sleepBriefly(): Promise<void> {
  return sleep(Math.random() * MAX_STEP_MS);
}
