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

/** Effects of the tools. */
export interface Bank {
  readonly paid: { readonly to: string; readonly euros: number; readonly key: string }[];
  /** Called during a payment. */
  readonly onPay?: (() => void | Promise<void>) | undefined;
}

export function newBank(onPay?: Bank['onPay']): Bank {
  return { paid: [], onPay };
}

export const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number().positive().default(10) }),
  requiresApproval: true,
  preview: ({ to, euros }) => `${euros} euros go to ${to}`,
  async execute({ to, euros }, ctx: RunContext<Bank>) {
    await ctx.deps.onPay?.();
    ctx.deps.paid.push({ to, euros, key: String(ctx.idempotencyKey) });
    return `${euros} paid to ${to}`;
  },
});

/** Needs no approval, and must not be repeated all the same. */
export const book = tool({
  name: 'book',
  inputSchema: z.object({ to: z.string() }),
  async execute({ to }, ctx: RunContext<Bank>) {
    await ctx.deps.onPay?.();
    ctx.deps.paid.push({ to, euros: 0, key: String(ctx.idempotencyKey) });
    return `booked ${to}`;
  },
});

/** Calls of `look_up` are external. */
const elsewhere = new ExternalToolset([{ name: 'look_up' }]);

/** Returns the last message of the model history as text. */
export function lastContents(messages: readonly Message[]): string {
  const parts = messages.at(-1)?.parts ?? [];
  return parts
    .map((part) => ('content' in part ? JSON.stringify(part.content) : part.kind))
    .join(' | ');
}

/**
 * Depends only on the history, so it responds alike in every process: to a prompt such as `pay a, pay b`
 * with these calls, to results with their contents.
 */
export const echoModel = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt' || typeof last.content !== 'string') {
    return says(`Results: ${lastContents(messages)}`);
  }
  const wanted = [...last.content.matchAll(/(pay|book|look_up) (\w+)/g)];
  if (wanted.length === 0) return says(`You said: ${last.content}`);
  return responds(...wanted.map(([, name = '', to = '']) => calls(name, { to })));
});

export const output = [String, DeferredToolRequests] as const;

export const teller = new Agent({
  name: 'teller',
  model: echoModel,
  tools: [pay, book],
  toolsets: [elsewhere],
  output,
});
