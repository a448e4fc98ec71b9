// The agent of the chat tests: a scripted model, and a tool that needs approval.
import { Agent, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ euros: z.number().max(50, 'At most 50 euros.') }),
  requiresApproval: true,
  execute: ({ euros }) => `${euros} euros paid`,
});

export const cashier = new Agent({
  name: 'cashier',
  model: scriptedModel(
    responds('I will pay\u001b[31m now.', calls('pay', { euros: 40 })),
    ({ messages }) => says(`Done. ${messages.length} messages so far.`),
    ({ messages }) => says(`You are welcome. ${messages.length} messages so far.`),
    responds('Once more.', calls('pay', { euros: 41 })),
    ({ messages }) => says(`Then not. ${messages.length} messages so far.`),
  ),
  tools: [pay],
});
