import { type Capability, FunctionToolset, tool, UserError } from 'holdpoint';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, waysToRun } from '../../support/capabilities.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { LivedToolset, named, offeredTo, resultsIn, toolsetOf } from '../../support/toolsets.ts';

describe('tools of capabilities', () => {
  it('come after those of the agent and before the toolsets of the run', async () => {
    const { model, agent } = agentWith(
      [
        capability({ tools: [named('c'), named('d')] }),
        capability({ tools: { e: named('ignored') }, toolsets: [toolsetOf('f')] }),
      ],
      { tools: [named('a')], toolsets: [toolsetOf('b')] },
    );

    await agent.run('Go.', {
      capabilities: [capability({ tools: [named('g')] })],
      toolsets: [toolsetOf('h')],
    });

    expect(offeredTo(model)).toEqual([['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']]);
  });

  it('execute', async () => {
    const { agent } = agentWith([capability({ tools: { renamed: named('original') } })], {
      script: [calls('renamed'), says('Done.')],
    });

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['renamed ran']);
  });

  it('must have unique names; the error names both owners', async () => {
    const { agent } = agentWith([{ name: 'files', tools: [named('read')] }], {
      tools: [named('read')],
    });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining("capability 'files'") });
  });

  it('of one capability must have different names', () => {
    const twice = capability({ tools: [named('read'), named('read')] });

    expect(() => agentWith([twice])).toThrow(UserError);
  });

  it('stay if the tools of the agent are overridden', async () => {
    const { model, agent } = agentWith([capability({ tools: [named('stays')] })], {
      tools: [named('goes')],
    });

    await agent.override({ tools: [named('comes')] }, () => agent.run('Go.'));

    expect(offeredTo(model)).toEqual([['comes', 'stays']]);
  });
});

describe('toolsets of capabilities', () => {
  it.each(waysToRun)('are opened and closed with the run: $way', async ({ go }) => {
    const toolset = new LivedToolset('box');
    const { agent } = agentWith([capability({ toolsets: [toolset] })]);

    await go(agent);

    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
  });

  it('stay open while the agent is held open', async () => {
    const toolset = new LivedToolset('box');
    const { agent } = agentWith([capability({ toolsets: [toolset] })], {
      script: ['One.', 'Two.'],
    });

    {
      await using _held = await agent.open();
      await agent.run('Go.');
      await agent.run('Go.');
    }

    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
  });

  it('are created for each run if they are functions', async () => {
    const made: LivedToolset[] = [];
    const factory = () => {
      const toolset = new LivedToolset(`box${made.length}`);
      made.push(toolset);
      return toolset;
    };
    const { model, agent } = agentWith([capability({ toolsets: [factory] })], {
      script: ['One.', 'Two.'],
    });

    await Promise.all([agent.run('Go.'), agent.run('Go.')]);

    expect(offeredTo(model).flat().toSorted()).toEqual(['use_box0', 'use_box1']);
    expect(made.map(({ timesOpened, opened }) => [timesOpened, opened])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  it('send their instructions to the model', async () => {
    const toolset = new FunctionToolset([named('a')], { instructions: 'Paths are relative.' });
    const { model, agent } = agentWith([
      capability({ toolsets: [toolset], instructions: 'Be brief.' }),
    ]);

    await agent.run('Go.');

    expect(model.calls[0]?.instructions).toBe('Be brief.\n\nPaths are relative.');
  });
});

describe('changeTools', () => {
  it('receives all tools, in the order of the capabilities', async () => {
    const prefixing = (prefix: string) =>
      capability({ changeTools: (tools) => tools.prefixed(prefix) });
    const { model, agent } = agentWith(
      [prefixing('x'), capability({ tools: [named('b')] }), prefixing('y')],
      { tools: [named('a')] },
    );

    await agent.run('Go.', {
      toolsets: [toolsetOf('c')],
      capabilities: [prefixing('z')],
    });

    expect(offeredTo(model)).toEqual([['z_y_x_a', 'z_y_x_b', 'z_y_x_c']]);
  });

  it('is under the policy of the agent', async () => {
    const ran: string[] = [];
    const remove = tool({ name: 'remove', execute: () => ran.push('remove') });
    const { agent } = agentWith([capability({ changeTools: (tools) => tools.prefixed('x') })], {
      tools: [remove],
      approvalPolicy: (_ctx, { name }) => name === 'x_remove',
      script: [calls('x_remove')],
    });

    await expectParked(agent.run('Go.'));

    expect(ran).toEqual([]);
  });

  it('can add requirements', async () => {
    const shop = workshop();
    const asking = capability({ changeTools: (tools) => tools.approvalRequired() });
    const { agent } = agentWith([asking], {
      tools: [shop.read],
      script: [calls('read', { path: 'a' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    expect(shop.ran()).toEqual([]);
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(shop.ran()).toEqual(['read a']);
  });

  it('can hide tools, which the model then searches for', async () => {
    const { model, agent } = agentWith(
      [capability({ changeTools: (tools) => tools.deferLoading(['b']) })],
      {
        tools: [named('a'), named('b')],
        script: [calls('search_tools', { queries: ['b'] }), calls('b'), says('Done.')],
      },
    );

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([
      ['a', 'search_tools'],
      ['a', 'b', 'search_tools'],
      ['a', 'b', 'search_tools'],
    ]);
  });

  it('can be written once for all toolsets', async () => {
    const onlyReading: Capability = {
      name: 'onlyReading',
      changeTools: (tools) => tools.filtered((_ctx, { name }) => name.startsWith('read')),
    };
    const { model, agent } = agentWith([onlyReading], { tools: [named('read'), named('write')] });

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([['read']]);
  });
});
