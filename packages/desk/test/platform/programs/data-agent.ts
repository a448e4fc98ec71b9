import { Agent, DeferredToolRequests, MemoryLedger, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** Options of sealed runs that every process shares. */
export const SEAL = {
  keys: { k1: btoa('k'.repeat(32)) },
  audience: 'upgrade',
  expiresIn: 3_600_000,
  ledger: new MemoryLedger(),
};

/** An agent that pays once after an approval. `paid` receives the payments. */
export function dataAgent(paid: string[] = []) {
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ to: z.string(), euros: z.number() }),
    requiresApproval: true,
    preview: ({ to, euros }) => `Pay ${euros} euros to ${to}`,
    execute({ to, euros }) {
      paid.push(`${to} ${euros}`);
      return 'Paid.';
    },
  });
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.parts.at(-1)?.kind === 'tool-return'
      ? says('Done.')
      : calls('pay', { to: 'ACME', euros: 40 }),
  );
  return new Agent({
    name: 'clerk',
    model,
    tools: [pay],
    output: [String, DeferredToolRequests],
  });
}
