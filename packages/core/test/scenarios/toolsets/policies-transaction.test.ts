import { inherit } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { delegations } from '../../support/toolset-policies/observe.ts';
import {
  askSub,
  byToolset,
  type Compositions,
  teamOf,
} from '../../support/toolset-policies/team.ts';
import {
  Database,
  TransactionToolset,
  type TransactionOfSubAgents,
} from '../../support/toolsets-of-the-proposal/transaction.ts';

describe.each(delegations)('delegating with $way', ({ delegate }) => {
  describe('the transaction, which is shared or new by its options', () => {
    const team = (toolsets: Compositions, commits: 'lead' | 'sub') =>
      teamOf(delegate, {
        lead: {
          toolsets: toolsets.lead,
          does: [
            calls('put', { key: 'lead', value: '1' }),
            askSub,
            calls('get', { key: 'sub' }),
            ...(commits === 'lead' ? [calls('commit')] : []),
          ],
        },
        sub: {
          toolsets: toolsets.sub,
          does: [
            calls('get', { key: 'lead' }),
            calls('put', { key: 'sub', value: '2' }),
            ...(commits === 'sub' ? [calls('commit')] : []),
          ],
        },
      });

    it.each(byToolset)('shared: one commit is for both: %s', async (_what, compose) => {
      const database = new Database();
      const make = () => new TransactionToolset(database, { subAgents: 'shared' });

      const { output } = await team(compose(make, 'transaction'), 'lead').run('Go.');

      expect(output).toBe('1; 2');
      expect(database.rows).toEqual({ lead: '1', sub: '2' });
      expect([database.maxInUse, database.inUse]).toEqual([1, 0]);
    });

    it.each(byToolset)('own: neither sees the changes of the other: %s', async (_what, compose) => {
      const database = new Database();
      const make = () => new TransactionToolset(database, { subAgents: 'own' });

      const { output } = await team(compose(make, 'transaction'), 'sub').run('Go.');

      expect(output).toBe('nothing; 2');
      expect(database.rows).toEqual({ sub: '2' });
      expect([database.maxInUse, database.inUse]).toEqual([2, 0]);
    });

    it.each<[string, TransactionOfSubAgents, string, number]>([
      ['a factory makes a new one of what would be shared', 'shared', 'nothing; 2', 2],
      ['share: true shares what would be new', 'own', '1; 2', 1],
    ])('is overridden at composition: %s', async (_what, subAgents, output, connections) => {
      const database = new Database();
      const make = () => new TransactionToolset(database, { subAgents });
      const sub = subAgents === 'shared' ? make : inherit('transaction', { share: true });

      const result = await team({ lead: [make], sub: [sub] }, 'sub').run('Go.');

      expect(result.output).toBe(output);
      expect([database.maxInUse, database.inUse]).toEqual([connections, 0]);
    });

    it('does not roll back changes of a failed sub-agent in a shared transaction', async () => {
      const database = new Database();
      const make = () => new TransactionToolset(database, { subAgents: 'shared' });
      const agent = teamOf(delegate, {
        lead: { toolsets: [make], does: [askSub] },
        sub: {
          toolsets: [inherit('transaction')],
          does: [
            calls('put', { key: 'sub', value: '2' }),
            calls('commit'),
            calls('no_such_tool'),
            calls('no_such_tool'),
          ],
        },
      });

      await expect(agent.run('Go.')).rejects.toThrow(/no_such_tool/);

      expect(database.rows).toEqual({ sub: '2' });
      expect(database.inUse).toBe(0);
    });
  });
});
