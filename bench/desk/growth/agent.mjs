import { openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The name of the agent that the copied runs belong to. */
export const AGENT = 'clerk';

/** The name for runs that are resumed. Their holds demand no role, so lists "for you" leave them out. */
export const LIVE_AGENT = 'live-clerk';

/** The role that the policy of the copied holds demands. */
export const ROLE = 'finance';

/** A text that only a redacted argument of the copied holds contains. */
export const HIDDEN = 'iban-of-ada';

const refund = tool({
  name: 'refund',
  description: 'Gives money back.',
  inputSchema: z.object({ order: z.string(), euros: z.number(), account: z.string() }),
  requiresApproval: true,
  preview: ({ order, euros }) => `${euros} euros for order ${order}`,
  execute: ({ order, euros }) => `${euros} euros were given back for order ${order}.`,
});

/** Requests one call that needs approval, and ends when the call has its result. */
const agent = new Agent({
  name: AGENT,
  model: functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind !== 'user-prompt') return says('Done.');
    return calls('refund', { order: String(last.content), euros: 40, account: HIDDEN });
  }),
  tools: [refund],
  output: [String, DeferredToolRequests],
});

/** Opens a desk without rules. */
export function openPlainDesk(store) {
  return openDesk({ store, agents: { [LIVE_AGENT]: { agent } } });
}

/** Opens a desk with a policy and redaction. The roles of a caller are in a header. */
export function openDeskWithRules(store) {
  return openDesk({
    store,
    agents: { [AGENT]: { agent } },
    approvers: { refund: { roles: [ROLE] } },
    redact: { refund: ['account'] },
    authorize: (request) => ({
      tenant: 'default',
      person: { id: 'grace' },
      roles: [request.headers.get('x-role')],
      credential: 'token',
    }),
  });
}
