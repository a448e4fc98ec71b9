import { Agent, type Model, ModelError, type ModelSettings } from 'holdpoint';
import { functionModel, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { fallbackModel } from '../../../src/models/fallback-model.ts';
import { WrapperModel } from '../../../src/models/wrapper-model.ts';
import { isDeeplyFrozen } from '../../support/frozen.ts';

const down = () => new ModelError('Out of service.', { modelName: 'scripted', status: 503 });

describe('an agent with a fallback model', () => {
  it('uses the response of the first model that succeeds, in runs and streams', async () => {
    const agent = new Agent({
      model: fallbackModel(
        scriptedModel(down(), down()),
        functionModel(() => 'Hello.', { name: 'b' }),
      ),
    });

    const ran = await agent.run('Hi');
    const streamed = await agent.stream('Hi').result;

    expect([ran.output, streamed.output]).toEqual(['Hello.', 'Hello.']);
    expect(ran.messages.at(-1)).toMatchObject({ modelName: 'b' });
    expect(streamed.messages.at(-1)).toMatchObject({ modelName: 'b' });
  });

  it('fails with all errors if every model fails', async () => {
    const agent = new Agent({ model: fallbackModel(scriptedModel(down()), scriptedModel(down())) });

    await expect(agent.run('Hi')).rejects.toMatchObject({
      code: 'all-models-failed',
      errors: [{ status: 503 }, { status: 503 }],
    });
  });

  it('calls each model with its own settings and the signal of the run', async () => {
    const seen: [ModelSettings | undefined, unknown][] = [];
    const responding = functionModel(({ settings, signal }) => {
      seen.push([settings, signal]);
      return 'Hello.';
    });
    const model: Model = { ...responding, settings: { seed: 1, maxTokens: 1 } };
    const agent = new Agent({ model: fallbackModel(model), modelSettings: { maxTokens: 2 } });

    await agent.run('Hi');

    expect(seen).toEqual([[{ seed: 1, maxTokens: 2 }, expect.any(AbortSignal)]]);
  });
});

describe('the response of a model', () => {
  it('is frozen once it is part of the history', async () => {
    const model: Model = {
      name: 'own',
      system: 'own',
      async request() {
        return {
          parts: [{ kind: 'text', content: 'Hello.', providerDetails: { signature: { a: 1 } } }],
          usage: { inputTokens: 1, details: { reasoning: 2 } },
          providerDetails: { region: { name: 'north' } },
          finishReason: 'stop',
        };
      },
    };

    const { messages } = await new Agent({ model }).run('Hi');

    expect(messages[1]).toMatchObject({ usage: { inputTokens: 1, details: { reasoning: 2 } } });
    expect(isDeeplyFrozen(messages)).toBe(true);
  });
});

describe('an agent with a wrapped model', () => {
  it('uses the description of the wrapper', async () => {
    class Shouting extends WrapperModel {
      override async request(...args: Parameters<Model['request']>) {
        const response = await super.request(...args);
        const parts = response.parts.map((part) =>
          part.kind === 'text' ? { ...part, content: part.content.toUpperCase() } : part,
        );
        return { ...response, parts };
      }
    }
    const agent = new Agent({ model: new Shouting(scriptedModel('hello', says('hello'))) });

    expect((await agent.run('Hi')).output).toBe('HELLO');
    expect((await agent.stream('Hi').result).output).toBe('hello');
  });
});
