import { describe, expect, it } from 'vitest';
import { FINISH, fakeLanguageModel } from '../../test/support/fake-language-model.ts';
import { collectResponse, modelCall } from '../../test/support/model-call.ts';
import { FallbackModelsError, ModelError } from '../errors/model-errors.ts';
import { fallbackModel } from './fallback-model.ts';
import type { ModelLike } from './infer-model.ts';
import { type Model, streamOf } from './model.ts';
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
const request = (model: Model) => model.request(modelCall());

describe('a fallback model', () => {
  it('returns the response of the first model that does not fail', async () => {
    expect(await request(fallbackModel(says('one'), says('two')))).toEqual({
      parts: [{ kind: 'text', content: 'one' }],
    });
    expect(await request(fallbackModel(down(), down(), says('three')))).toEqual({
      parts: [{ kind: 'text', content: 'three' }],
    });
  });

  it('streams the response of the first model that does not fail', async () => {
    const model = fallbackModel(
      down(),
      fakeLanguageModel({ throws: { statusCode: 500 } }),
      says('three'),
    );

    expect(await collectResponse(streamOf(model, modelCall()))).toEqual({
      parts: [{ kind: 'text', content: 'three' }],
    });
  });

  it('does not request the next model after a response has started', async () => {
    const pieces = [
      { type: 'text-delta', id: '0', delta: 'Go' },
      { type: 'error', error: 'Gone.' },
    ];
    const model = fallbackModel(fakeLanguageModel({ pieces }), says('two'));

    await expect(collectResponse(streamOf(model, modelCall()))).rejects.toThrow(
      /is incomplete: Gone/,
    );
  });

  it('lists the error of each model if all fail', async () => {
    const response = request(fallbackModel(down('One is down.'), down('Two is down.')));

    await expect(response).rejects.toBeInstanceOf(FallbackModelsError);
    await expect(response).rejects.toMatchObject({
      code: 'all-models-failed',
      message:
        'All 2 models failed. Check their errors, or pass another model:\n- broken: One is down.\n- broken: Two is down.',
      errors: [{ message: 'One is down.' }, { message: 'Two is down.' }],
    });
  });

  it('can be one of the models of another fallback model', async () => {
    expect(await request(fallbackModel(fallbackModel(down(), down()), says('two')))).toEqual({
      parts: [{ kind: 'text', content: 'two' }],
    });
  });

  it('throws other errors, unless `when` returns true', async () => {
    const error = new Error('A bug.');

    await expect(request(fallbackModel(throws(error), says('two')))).rejects.toBe(error);
    expect(await request(fallbackModel(throws(error), says('two'), { when: () => true }))).toEqual({
      parts: [{ kind: 'text', content: 'two' }],
    });
  });

  it('requests no other model after the run is cancelled', async () => {
    const error = new Error('enough');
    const model = fallbackModel(throws(error), says('two'), { when: () => true });

    await expect(model.request(modelCall({ signal: AbortSignal.abort() }))).rejects.toBe(error);
  });

  it('merges the settings of each model with those of the run', async () => {
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

  it('supports the native tools that all of its models support', () => {
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
