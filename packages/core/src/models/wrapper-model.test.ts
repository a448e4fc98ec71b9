import { describe, expect, it } from 'vitest';
import { collectReply, modelCall } from '../../test/support/model-call.ts';
import type { Model, ModelCall, ModelResponseData } from './model.ts';
import { WrapperModel } from './wrapper-model.ts';

describe('a wrapped model', () => {
  const wrapped: Model = {
    name: 'parrot',
    system: 'cage',
    settings: { temperature: 0 },
    request: async ({ instructions }) => ({
      parts: [{ kind: 'text', content: instructions ?? 'Polly?' }],
      finishReason: 'stop',
    }),
  };

  it('answers through its wrapper, also piece by piece where it only answers whole', async () => {
    const wrapper = new WrapperModel(wrapped);

    expect(wrapper).toMatchObject({ name: 'parrot', system: 'cage', settings: { temperature: 0 } });
    const reply = await wrapper.request(modelCall());
    expect(reply.parts).toEqual([{ kind: 'text', content: 'Polly?' }]);
    expect(await collectReply(wrapper.stream(modelCall()))).toEqual(reply);
  });

  it('has the native tools of the model inside', () => {
    const searches: Model = { ...wrapped, supportsNative: ({ kind }) => kind === 'web-search' };

    expect(new WrapperModel(searches).supportsNative({ kind: 'web-search' })).toBe(true);
    expect(new WrapperModel(searches).supportsNative({ kind: 'memory' })).toBe(false);
    expect(new WrapperModel(wrapped).supportsNative({ kind: 'web-search' })).toBe(false);
  });

  it('is changed by what a subclass overrides', async () => {
    class Polite extends WrapperModel {
      override request(call: ModelCall): Promise<ModelResponseData> {
        return super.request({ ...call, instructions: 'Please.' });
      }
    }

    const { parts } = await new Polite(wrapped).request(modelCall());

    expect(parts).toEqual([{ kind: 'text', content: 'Please.' }]);
  });
});
