import { describe, expect, it } from 'vitest';
import { FINISH, fakeLanguageModel } from '../../test/support/fake-language-model.ts';
import { collectResponse, modelCall } from '../../test/support/model-call.ts';
import { FallbackModelsError, ModelError } from '../errors/model-errors.ts';
import { fallbackModel } from './fallback-model.ts';
import type { ModelLike } from './infer-model.ts';
import type { Model } from './model.ts';
import { streamOf } from './reply-events.ts';
import type { ModelSettings } from './settings.ts';

const says = (content: string): Model => ({
  name: content,
  system: 'fake',
  request: async () => ({ parts: [{ kind: 'text', content }] }),
});
const throws = (error: unknown): Model => ({
  name: 'broken',
  system: 'fake',
  request: () => Promise.reject(error),
});
const down = (message = 'Down.') => throws(new ModelError(message, { modelName: 'broken' }));
const ask = (model: Model) => model.request(modelCall());

describe('a fallback model', () => {
  it('asks the first model that answers', async () => {
    expect(await ask(fallbackModel(says('one'), says('two')))).toEqual({
      parts: [{ kind: 'text', content: 'one' }],
    });
    expect(await ask(fallbackModel(down(), down(), says('three')))).toEqual({
      parts: [{ kind: 'text', content: 'three' }],
    });
  });

  it('streams from it', async () => {
    const model = fallbackModel(
      down(),
      fakeLanguageModel({ throws: { statusCode: 500 } }),
      says('three'),
    );

    expect(await collectResponse(streamOf(model, modelCall()))).toEqual({
      parts: [{ kind: 'text', content: 'three' }],
    });
  });

  it('does not turn to the next once an answer has begun', async () => {
    const pieces = [
      { type: 'text-delta', id: '0', delta: 'Go' },
      { type: 'error', error: 'Gone.' },
    ];
    const model = fallbackModel(fakeLanguageModel({ pieces }), says('two'));

    await expect(collectResponse(streamOf(model, modelCall()))).rejects.toThrow(/broke off: Gone/);
  });

  it('lists what each model failed with when all fail', async () => {
    const asked = ask(fallbackModel(down('One is down.'), down('Two is down.')));

    await expect(asked).rejects.toBeInstanceOf(FallbackModelsError);
    await expect(asked).rejects.toMatchObject({
      code: 'all-models-failed',
      message:
        'All 2 models failed. Check their errors, or pass another model:\n- broken: One is down.\n- broken: Two is down.',
      errors: [{ message: 'One is down.' }, { message: 'Two is down.' }],
    });
  });

  it('is one of the models of another', async () => {
    expect(await ask(fallbackModel(fallbackModel(down(), down()), says('two')))).toEqual({
      parts: [{ kind: 'text', content: 'two' }],
    });
  });

  it('passes other errors on, unless it is told to turn to the next', async () => {
    const error = new Error('A bug.');

    await expect(ask(fallbackModel(throws(error), says('two')))).rejects.toBe(error);
    expect(await ask(fallbackModel(throws(error), says('two'), { when: () => true }))).toEqual({
      parts: [{ kind: 'text', content: 'two' }],
    });
  });

  it('stops when the run is aborted', async () => {
    const error = new Error('enough');
    const model = fallbackModel(throws(error), says('two'), { when: () => true });

    await expect(model.request(modelCall({ signal: AbortSignal.abort() }))).rejects.toBe(error);
  });

  it("asks each model with that model's settings under those of the run", async () => {
    const languageModel = fakeLanguageModel({ pieces: [FINISH] });
    const seen: (ModelSettings | undefined)[] = [];
    const warm: Model = {
      name: 'warm',
      system: 'fake',
      settings: { temperature: 1, seed: 1 },
      request: async ({ settings }) => {
        seen.push(settings);
        return { parts: [] };
      },
    };

    await fallbackModel(warm, languageModel).request(modelCall({ settings: { seed: 2 } }));

    expect(seen).toEqual([{ temperature: 1, seed: 2 }]);
  });

  it('is named after its models', () => {
    expect(fallbackModel(says('one'), fakeLanguageModel(), 'openai:gpt-5').name).toBe(
      'fallback(one, fake-1, openai:gpt-5)',
    );
  });

  it('has the native tools that all of its models have', () => {
    const searches = { ...says('one'), supportsNative: () => true };
    const has = (...models: [ModelLike, ...ModelLike[]]) =>
      fallbackModel(...models).supportsNative?.({ kind: 'web-search' });

    expect(has(searches, searches)).toBe(true);
    expect(has(searches, says('two'))).toBe(false);
    expect(has(searches, 'openai:gpt-5', 'anthropic:claude-sonnet-4-5')).toBe(true);
    expect(has('openai:gpt-5', 'openai-chat:gpt-5')).toBe(false);
    expect(has('openai:gpt-5', 'mistral:large')).toBe(false);
    expect(has('openai:gpt-5', 'test')).toBe(false);
    expect(has(fakeLanguageModel(), searches)).toBe(false);
  });
});
