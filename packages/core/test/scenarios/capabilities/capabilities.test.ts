import {
  Agent,
  type Capability,
  type Message,
  ModelRetry,
  type ModelSettings,
  type RunContext,
} from 'holdpoint';
import type { HistoryProcessor } from 'holdpoint/capabilities';
import { WrapperModel } from 'holdpoint/models';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability } from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { rejectionOf } from '../../support/latch.ts';
import { named, resultsIn } from '../../support/toolsets.ts';

describe('instructions of capabilities', () => {
  it('come after the instructions of the agent and before those of the run', async () => {
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

  it('stay if the instructions of the agent are overridden', async () => {
    const { model, agent } = agentWith([capability({ instructions: 'Stay.' })], {
      instructions: 'Go away.',
    });

    await agent.override({ instructions: 'Other.' }, () => agent.run('Go.'));

    expect(model.calls[0]?.instructions).toBe('Other.\nStay.');
  });
});

describe('model settings of capabilities', () => {
  class Settled extends WrapperModel {
    override get settings(): ModelSettings {
      return { temperature: 0, maxTokens: 1, seed: 1, topP: 1, topK: 1 };
    }
  }

  it('override those of model and agent, and are overridden by later capabilities and the run', async () => {
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

  it('merge to the same settings without functions', async () => {
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

  it('are computed for each request if they are functions', async () => {
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

  it('remove nothing with undefined values', async () => {
    const { model, agent } = agentWith(
      [capability({ modelSettings: () => ({ seed: undefined }) })],
      {
        modelSettings: { seed: 7 },
      },
    );

    await agent.run('Go.');

    expect(model.calls[0]?.settings).toMatchObject({ seed: 7 });
  });

  it('fail the run with the error of a function', async () => {
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

  it('run after those of the agent, in order', async () => {
    const { model, agent } = agentWith(
      [capability({ historyProcessors: [adding('2'), adding('3')] })],
      { historyProcessors: [adding('1')] },
    );

    await agent.run('Go.', { capabilities: [capability({ historyProcessors: [adding('4')] })] });

    expect(partsOf(model.calls[0]?.messages ?? [])).toMatchObject([{ content: 'Go.1234' }]);
  });
});

describe('a run of an agent with capabilities', () => {
  it('can add capabilities that other runs do not have', async () => {
    const log: string[] = [];
    const noting = (name: string): Capability => ({
      name,
      wrapRun(next) {
        log.push(name);
        return next();
      },
    });
    const { agent } = agentWith([noting('agent')], { script: ['One.', 'Two.'] });

    await agent.run('Go.', { capabilities: [noting('run')] });
    await agent.run('Go.');

    expect(log).toEqual(['agent', 'run', 'agent']);
  });

  it('passes the deps to capabilities', async () => {
    const seen: unknown[] = [];
    const looking: Capability<{ user: string }> = {
      name: 'looking',
      instructions: (ctx) => `You work for ${ctx.deps.user}.`,
      wrapModelRequest(call, next, ctx: RunContext<{ user: string }>) {
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
      async wrapOutput(value, next) {
        if (!String(value).includes('please')) throw new ModelRetry('Say please.');
        return next(value);
      },
    };
    const careful: Capability = {
      name: 'careful',
      modelSettings: { temperature: 0 },
      wrapToolExecution: async (_call, next) => `${await next()}, carefully`,
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
