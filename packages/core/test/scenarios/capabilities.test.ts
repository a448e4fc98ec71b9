import {
  Agent,
  type Capability,
  FunctionToolset,
  type HistoryProcessor,
  type Message,
  ModelRetry,
  type ModelSettings,
  type RunContext,
  tool,
  UserError,
  WrapperModel,
} from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, waysToRun } from '../support/capabilities.ts';
import { partsOf } from '../support/conversation.ts';
import { expectParked, workshop } from '../support/deferral.ts';
import { rejectionOf } from '../support/latch.ts';
import { LivedToolset, named, offeredTo, resultsIn, toolsetOf } from '../support/toolsets.ts';

describe('instructions of capabilities', () => {
  it('stand between those of the agent and those of the run', async () => {
    const { model, agent } = agentWith(
      [
        capability({ instructions: 'Second.' }),
        capability({ instructions: ['Third.', 'Fourth.'] }),
      ],
      { instructions: 'First.' },
    );

    await agent.run('Go.', {
      instructions: 'Sixth.',
      capabilities: [capability({ instructions: 'Fifth.' })],
    });

    expect(model.calls[0]?.instructions).toBe('First.\nSecond.\nThird.\nFourth.\nFifth.\nSixth.');
  });

  it('can be functions of the context', async () => {
    const { model, agent } = agentWith([
      capability({ instructions: (ctx) => `Step ${ctx.runStep}.` }),
      capability({ instructions: async () => undefined }),
    ]);

    await agent.run('Go.');

    expect(model.calls[0]?.instructions).toBe('Step 1.');
  });

  it('stay where the instructions of the agent are overridden', async () => {
    const { model, agent } = agentWith([capability({ instructions: 'Stay.' })], {
      instructions: 'Go away.',
    });

    await agent.override({ instructions: 'Other.' }, () => agent.run('Go.'));

    expect(model.calls[0]?.instructions).toBe('Other.\nStay.');
  });
});

describe('tools of capabilities', () => {
  it('stand after those of the agent and before the toolsets of the run', async () => {
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

  it('run', async () => {
    const { agent } = agentWith([capability({ tools: { renamed: named('original') } })], {
      script: [calls('renamed'), says('Done.')],
    });

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['renamed ran']);
  });

  it('must have names that nobody else has; the error says whose they are', async () => {
    const { agent } = agentWith([{ name: 'files', tools: [named('read')] }], {
      tools: [named('read')],
    });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining("capability 'files'") });
  });

  it('of one capability must have names that are different', () => {
    const twice = capability({ tools: [named('read'), named('read')] });

    expect(() => agentWith([twice])).toThrow(UserError);
  });

  it('stay where the tools of the agent are overridden', async () => {
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

  it('are made for each run where they are functions', async () => {
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

  it('tell the model their instructions', async () => {
    const toolset = new FunctionToolset([named('a')], { instructions: 'Paths are relative.' });
    const { model, agent } = agentWith([
      capability({ toolsets: [toolset], instructions: 'Be brief.' }),
    ]);

    await agent.run('Go.');

    expect(model.calls[0]?.instructions).toBe('Be brief.\n\nPaths are relative.');
  });
});

describe('changeTools', () => {
  it('gets the tools of everybody, in the order of the capabilities', async () => {
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

  it('can make things stricter', async () => {
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

  it('can hide tools, which are then searched for', async () => {
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

describe('model settings of capabilities', () => {
  class Settled extends WrapperModel {
    override get settings(): ModelSettings {
      return { temperature: 0, maxTokens: 1, seed: 1, topP: 1, topK: 1 };
    }
  }

  it('lie over those of model and agent and under those of the run, later ones over earlier ones', async () => {
    const inner = scriptedModel('Done.');
    const agent = new Agent({
      model: new Settled(inner),
      modelSettings: { maxTokens: 2, seed: 2, topP: 2, topK: 2 },
      capabilities: [
        { name: 'a', modelSettings: { seed: 3, topP: 3, topK: 3 } },
        { name: 'b', modelSettings: () => ({ topP: 4, topK: 4 }) },
      ],
    });

    await agent.run('Go.', {
      capabilities: [{ name: 'c', modelSettings: { topK: 5, presencePenalty: 5 } }],
      modelSettings: { presencePenalty: 6 },
    });

    expect(inner.calls[0]?.settings).toEqual({
      temperature: 0,
      maxTokens: 2,
      seed: 3,
      topP: 4,
      topK: 5,
      presencePenalty: 6,
    });
  });

  it('come to the same where none of them is a function', async () => {
    const { model, agent } = agentWith(
      [
        capability({ modelSettings: { seed: 1, topK: 1 } }),
        capability({ modelSettings: { seed: 2 } }),
      ],
      { modelSettings: { seed: 0, topP: 0 } },
    );

    await agent.run('Go.', { modelSettings: { topP: 3 } });

    expect(model.calls[0]?.settings).toEqual({ seed: 2, topK: 1, topP: 3 });
  });

  it('are made for each request where they are functions', async () => {
    const { model, agent } = agentWith(
      [
        capability({
          modelSettings: async ({ runStep, modelSettings }) =>
            runStep === 1 ? { seed: 1 } : { topK: modelSettings?.seed },
        }),
        capability({ modelSettings: () => undefined }),
      ],
      { tools: [named('a')], script: [calls('a'), says('Done.')] },
    );

    await agent.run('Go.');

    expect(model.calls.map(({ settings }) => settings)).toEqual([{ seed: 1 }, { topK: 1 }]);
  });

  it('do not take anything away with what they leave undefined', async () => {
    const { model, agent } = agentWith(
      [capability({ modelSettings: () => ({ seed: undefined }) })],
      {
        modelSettings: { seed: 7 },
      },
    );

    await agent.run('Go.');

    expect(model.calls[0]?.settings).toMatchObject({ seed: 7 });
  });

  it('fail the run with what a function throws', async () => {
    const broken = new Error('No settings.');
    const { model, agent } = agentWith([
      capability({ modelSettings: () => Promise.reject(broken) }),
    ]);

    expect(await rejectionOf(agent.run('Go.'))).toBe(broken);
    expect(model.calls).toEqual([]);
  });
});

describe('history processors of capabilities', () => {
  const adding =
    (text: string): HistoryProcessor =>
    (messages) =>
      messages.map((message, index): Message => {
        const [part] = message.parts;
        if (index > 0 || message.kind !== 'request' || part?.kind !== 'user-prompt') return message;
        return { ...message, parts: [{ ...part, content: `${part.content}${text}` }] };
      });

  it('come after those of the agent, in order', async () => {
    const { model, agent } = agentWith(
      [capability({ historyProcessors: [adding('2'), adding('3')] })],
      { historyProcessors: [adding('1')] },
    );

    await agent.run('Go.', { capabilities: [capability({ historyProcessors: [adding('4')] })] });

    expect(partsOf(model.calls[0]?.messages ?? [])).toMatchObject([{ content: 'Go.1234' }]);
  });
});

describe('a run of an agent with capabilities', () => {
  it('can have further ones, which other runs do not have', async () => {
    const log: string[] = [];
    const noting = (name: string): Capability => ({
      name,
      aroundRun(next) {
        log.push(name);
        return next();
      },
    });
    const { agent } = agentWith([noting('agent')], { script: ['One.', 'Two.'] });

    await agent.run('Go.', { capabilities: [noting('run')] });
    await agent.run('Go.');

    expect(log).toEqual(['agent', 'run', 'agent']);
  });

  it('hands capabilities what the application gave', async () => {
    const seen: unknown[] = [];
    const looking: Capability<{ user: string }> = {
      name: 'looking',
      instructions: (ctx) => `You work for ${ctx.deps.user}.`,
      aroundModelRequest(call, next, ctx: RunContext<{ user: string }>) {
        seen.push(ctx.deps.user);
        return next(call);
      },
    };
    const model = scriptedModel('Done.');
    const agent = new Agent({ model, capabilities: [looking] });

    await agent.run('Go.', { deps: { user: 'Ada' } });

    expect(seen).toEqual(['Ada']);
    expect(model.calls[0]?.instructions).toBe('You work for Ada.');
  });

  it('works with all hooks of several capabilities at once', async () => {
    const polite: Capability = {
      name: 'polite',
      instructions: 'Be polite.',
      async aroundOutput(value, next) {
        if (!String(value).includes('please')) throw new ModelRetry('Say please.');
        return next(value);
      },
    };
    const careful: Capability = {
      name: 'careful',
      modelSettings: { temperature: 0 },
      aroundToolExecution: async (_call, next) => `${await next()}, carefully`,
    };
    const { model, agent } = agentWith([polite, careful], {
      tools: [named('work')],
      script: [calls('work'), says('Done.'), says('Done, please.')],
    });

    const { output, messages } = await agent.run('Go.');

    expect(output).toBe('Done, please.');
    expect(resultsIn(messages)[0]).toBe('work ran, carefully');
    expect(model.calls.every(({ settings }) => settings?.temperature === 0)).toBe(true);
  });
});
