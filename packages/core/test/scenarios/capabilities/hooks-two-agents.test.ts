import type { RunContext } from 'holdpoint';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability } from '../../support/capabilities.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { noting } from '../../support/run-hooks.ts';

describe('hooks around the runs of two agents', () => {
  it('wrap only the run of their own agent', async () => {
    const log: string[] = [];
    const { agent: sub } = agentWith([noting(log, 'inner')], { name: 'sub' });
    const { agent } = agentWith([noting(log, 'outer')], {
      tools: [sub.asTool()],
      script: [calls('sub', { prompt: 'Go.' }), says('Done.')],
    });

    await agent.run('Go.');

    expect(log).toEqual(['outer in', 'inner in', 'inner finished', 'outer finished']);
  });

  it('see both agents park and resume', async () => {
    const log: string[] = [];
    const shop = workshop();
    const { agent: sub } = agentWith([noting(log, 'inner')], {
      name: 'sub',
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }), says('Removed.')],
    });
    const { agent } = agentWith([noting(log, 'outer')], {
      tools: [sub.asTool()],
      script: [calls('sub', { prompt: 'Go.' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    const round = (how: string) => ['outer in', 'inner in', `inner ${how}`, `outer ${how}`];
    expect(log).toEqual([...round('parked'), ...round('finished')]);
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('can run the other agent', async () => {
    const { agent: judge } = agentWith([], { script: ['Well said.'] });
    const judging = capability({
      async wrapRun(next, ctx: RunContext) {
        const end = await next();
        const { output } = await judge.run('Is that good?', { parent: ctx });
        return end.kind === 'finished' ? { ...end, output: `${end.output} (${output})` } : end;
      },
    });

    const result = await agentWith([judging]).agent.run('Go.');

    expect(result.output).toBe('Done. (Well said.)');
    expect(result.usage.requests).toBe(2);
  });
});
