import { ApprovalRequired, tool } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { probeAgent, stored, withDigests, withLedger } from './probe.ts';

describe.each([withDigests, withLedger])(
  'a call that its tool requests again, $guard',
  ({ options }) => {
    it('does not execute with the decision about the first request', async () => {
      const paid: unknown[] = [];
      let starts = 0;
      const pay = tool({
        name: 'pay',
        requiresApproval: true,
        inputSchema: z.object({ euros: z.number() }),
        execute(args) {
          starts += 1;
          if (starts === 1) throw new ApprovalRequired({ metadata: { reason: 'overdraft' } });
          paid.push(args);
          return 'paid';
        },
      });
      const call = calls('pay', { euros: 5 }, { id: 'p' });
      const agent = probeAgent([call], { tools: [pay], ...options() });
      const parked = await expectParked(agent.run('Go.'));
      const first = parked.output.buildResults({ approveAll: true });
      const again = await expectParked(agent.resume(stored(parked.messages), first));
      const messages = stored(again.messages);

      await expect(agent.resume(messages, first)).rejects.toThrow('differ from the approval');

      expect(paid).toEqual([]);
      expect(again.output.metadata).toEqual({ p: { reason: 'overdraft' } });
      await agent.resume(messages, again.output.buildResults({ approveAll: true }));
      expect(paid).toEqual([{ euros: 5 }]);
    });
  },
);
