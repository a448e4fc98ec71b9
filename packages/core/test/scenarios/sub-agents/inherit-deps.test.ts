import { Agent, FunctionToolset, inherit, type RunContext, tool } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { following, reporting } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';

interface User {
  readonly user: string;
}

describe('the deps of inherited tools', () => {
  const who = tool({
    name: 'who',
    inputSchema: z.object({ name: z.string() }),
    argsValidator: ({ name }, ctx: RunContext<User>) => {
      seen.push(`validator: ${ctx.deps.user} for ${name}`);
    },
    requiresApproval: (_args, ctx: RunContext<User>) => {
      seen.push(`approval: ${ctx.deps.user}`);
      return false;
    },
    execute: (_args, ctx: RunContext<User>) => `${ctx.agent.name} for ${ctx.deps.user}`,
  });
  let seen: string[] = [];

  const people = () =>
    new FunctionToolset([who], {
      id: 'people',
      instructions: (ctx: RunContext<{ user: string }>) => `This is ${ctx.deps.user}.`,
    });
  const own = tool({
    name: 'own',
    execute: (_args, ctx: RunContext<{ tenant: number }>) => `tenant ${ctx.deps.tenant}`,
  });

  it('come from the run that owns the toolset; other tools of the sub-agent have its deps', async () => {
    seen = [];
    const sub = new Agent({
      name: 'sub',
      model: reporting(calls('who', { name: 'x' }), calls('own')),
      tools: [own],
      toolsets: [inherit('people')],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [sub.asTool({ deps: () => ({ tenant: 7 }) })],
      toolsets: [people()],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['sub for ada; tenant 7']);
    expect(seen).toEqual(['validator: ada for x', 'approval: ada']);
  });

  it('come from the first run, however often the toolset is inherited', async () => {
    const nested = new Agent({
      name: 'nested',
      model: reporting(calls('who', { name: 'x' })),
      toolsets: [inherit('people')],
    });
    const sub = new Agent({
      name: 'sub',
      model: reporting(calls('nested', { prompt: '' }), calls('own')),
      tools: [own, nested.asTool({ deps: () => 'nobody' })],
      toolsets: [inherit('people', { share: true })],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [sub.asTool({ deps: () => ({ tenant: 7 }) })],
      toolsets: [people()],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['nested for ada; tenant 7']);
  });

  it('come from the sub-agent’s run if it has the instance itself', async () => {
    const shared = people();
    const sub = new Agent({
      name: 'sub',
      model: reporting(calls('who', { name: 'x' })),
      toolsets: [shared],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [sub.asTool({ deps: () => ({ user: 'bob' }) })],
      toolsets: [shared],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['sub for bob']);
  });
});
