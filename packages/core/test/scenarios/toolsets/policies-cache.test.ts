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
import { CachedSearchToolset } from '../../support/toolsets-of-the-proposal/cached-search.ts';

describe.each(delegations)('delegating with $way', ({ delegate }) => {
  describe('the cache, which is shared', () => {
    const search = (query: string) => calls('search', { query });
    const team = (toolsets: Compositions) =>
      teamOf(delegate, {
        lead: { toolsets: toolsets.lead, does: [search('a'), askSub, search('b')] },
        sub: { toolsets: toolsets.sub, does: [search('a'), search('b')] },
      });
    const counting = () => {
      const lookups: string[] = [];
      const make = () =>
        new CachedSearchToolset(async (query) => {
          lookups.push(query);
          return query.toUpperCase();
        });
      return { lookups, make };
    };

    it.each(byToolset)('shares entries in both directions: %s', async (_what, compose) => {
      const { lookups, make } = counting();

      const { output } = await team(compose(make, 'search')).run('Go.');

      expect(output).toBe('A; A; B; B');
      expect(lookups).toEqual(['a', 'b']);
    });

    it('keeps entries for the next run as one instance, and is empty if a factory creates it', async () => {
      const [one, made] = [counting(), counting()];
      const instance = one.make();
      const shared = team({ lead: [instance], sub: [instance] });
      const perRun = team({ lead: [made.make], sub: [inherit('search')] });

      for (const agent of [shared, shared, perRun, perRun]) await agent.run('Go.');

      expect(one.lookups).toEqual(['a', 'b']);
      expect(made.lookups).toEqual(['a', 'b', 'a', 'b']);
    });

    it('is empty for the sub-agent if a factory forces it', async () => {
      const { lookups, make } = counting();

      await team({ lead: [make], sub: [make] }).run('Go.');

      expect(lookups).toEqual(['a', 'a', 'b', 'b']);
    });
  });
});
