import { describe, expect, it } from 'vitest';
import { collectResponse, modelCall } from '../../test/support/model-call.ts';
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

  it('responds through its wrapper, as a stream too if it does not stream itself', async () => {
    const wrapper = new WrapperModel(wrapped);

    expect(wrapper).toMatchObject({ name: 'parrot', system: 'cage', settings: { temperature: 0 } });
    const response = await wrapper.request(modelCall());
    expect(response.parts).toEqual([{ kind: 'text', content: 'Polly?' }]);
    expect(await collectResponse(wrapper.stream(modelCall()))).toEqual(response);
  });

  it('supports the native tools of the wrapped model', () => {
    const searches: Model = { ...wrapped, supportsNative: ({ kind }) => kind === 'web-search' };

    expect(new WrapperModel(searches).supportsNative({ kind: 'web-search' })).toBe(true);
    expect(new WrapperModel(searches).supportsNative({ kind: 'memory' })).toBe(false);
    expect(new WrapperModel(wrapped).supportsNative({ kind: 'web-search' })).toBe(false);
  });

  it('uses the methods that a subclass overrides', async () => {
    class Polite extends WrapperModel {
      override request(call: ModelCall): Promise<ModelResponseData> {
        return super.request({ ...call, instructions: 'Please.' });
      }
    }

    const { parts } = await new Polite(wrapped).request(modelCall());

    expect(parts).toEqual([{ kind: 'text', content: 'Please.' }]);
  });
});
