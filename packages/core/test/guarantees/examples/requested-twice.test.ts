import { ApprovalRequired, tool } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { probeAgent, stored, unguarded, withDigests, withLedger } from './probe.ts';

describe.each([unguarded, withDigests, withLedger])(
  'a call that needs two approvals, $guard,',
  ({ options }) => {
    it('executes after the second approval', async () => {
      const ran: string[] = [];
      const launch = tool({
        name: 'launch',
        execute(_args, ctx) {
          const { by } = (ctx.toolCallMetadata ?? {}) as { by?: string };
          if (by !== 'two people') throw new ApprovalRequired();
          ran.push('launched');
        },
      });
      const agent = probeAgent([calls('launch', {}, { id: 'l' })], {
        tools: [launch],
        ...options(),
      });

      const first = await expectParked(agent.run('Go.'));
      const second = await expectParked(
        agent.resume(stored(first.messages), first.output.buildResults({ approveAll: true })),
      );
      expect(ran).toEqual([]);
      const metadata = { l: { by: 'two people' } };
      await agent.resume(
        stored(second.messages),
        second.output.buildResults({ approveAll: true, metadata }),
      );

      expect(ran).toEqual(['launched']);
    });
  },
);
