import { describe, expect, it } from 'vitest';
import { fakeLanguageModel } from '../../../test/support/fake-language-model.ts';
import { modelCall, toolDefinition } from '../../../test/support/model-call.ts';
import type { ModelCall } from '../model.ts';
import { aiSdkModel } from './ai-sdk-model.ts';

async function optionsFor(call: Partial<ModelCall>, version: 'v3' | 'v4' = 'v4') {
  const languageModel = fakeLanguageModel({ version });
  await aiSdkModel(languageModel).request(modelCall(call));
  const [{ prompt: _, abortSignal: __, ...options } = { prompt: [] }] = languageModel.received;
  return options;
}

describe('tools', () => {
  const weather = toolDefinition({ strict: true });
  const done = toolDefinition({ name: 'final_result', kind: 'output', description: undefined });

  it('include function tools and output tools', async () => {
    expect(await optionsFor({ functionTools: [weather], outputTools: [done] })).toStrictEqual({
      tools: [
        {
          type: 'function',
          name: 'weather',
          description: 'The weather in a city.',
          inputSchema: weather.parametersJsonSchema,
          strict: true,
        },
        { type: 'function', name: 'final_result', inputSchema: done.parametersJsonSchema },
      ],
    });
  });

  it('describe their return schema if the definition includes it', async () => {
    const definition = toolDefinition({
      returnSchema: { type: 'number' },
      includeReturnSchema: true,
    });

    expect(await optionsFor({ functionTools: [definition] })).toMatchObject({
      tools: [{ description: expect.stringMatching(/city\.\n\nReturns .*{"type":"number"}/) }],
    });
  });

  it('are required if text is not a valid output, unless the settings override it', async () => {
    const call = { functionTools: [weather], allowText: false };

    expect(await optionsFor(call)).toMatchObject({ toolChoice: { type: 'required' } });
    expect(await optionsFor({ ...call, settings: { toolChoice: 'auto' } })).toMatchObject({
      toolChoice: { type: 'auto' },
    });
    expect(await optionsFor({ allowText: false })).toStrictEqual({});
  });

  it('are converted once for the same lists', async () => {
    const languageModel = fakeLanguageModel();
    const model = aiSdkModel(languageModel);
    const call = { functionTools: [weather], outputTools: [done], nativeTools: [] };

    await model.request(modelCall(call));
    await model.request(modelCall(call));
    await model.request(modelCall({ ...call, outputTools: [] }));
    const own = { kind: 'provider', id: 'fake.search', name: 'search' } as const;
    await model.request(modelCall({ ...call, nativeTools: [own] }));

    const [first, second, third, fourth] = languageModel.received;
    expect(second?.tools).toBe(first?.tools);
    expect(third?.tools).toHaveLength(1);
    expect(fourth?.tools).toHaveLength(3);
  });
});

describe('an output in JSON', () => {
  const schema = { type: 'object' } as const;

  it('is requested with its schema', async () => {
    const outputSchema = { name: 'place', description: 'A place.', schema };

    expect(await optionsFor({ outputSchema, allowText: false })).toStrictEqual({
      responseFormat: { type: 'json', name: 'place', description: 'A place.', schema },
    });
  });

  it('is strict for OpenAI if the schema is strict', async () => {
    const settings = { providerOptions: { openai: { store: false }, other: { a: 1 } } };
    const outputSchema = { name: 'place', schema, strict: false };

    expect(await optionsFor({ outputSchema, settings })).toMatchObject({
      providerOptions: { openai: { store: false, strictJsonSchema: false }, other: { a: 1 } },
    });
  });
});

describe('settings', () => {
  it('are passed on under the names of the AI SDK', async () => {
    const same = {
      temperature: 0,
      topP: 0.5,
      topK: 3,
      presencePenalty: 1,
      frequencyPenalty: 2,
      seed: 7,
      stopSequences: ['END'],
      headers: { 'x-team': 'a' },
      providerOptions: { openai: { store: false } },
    };

    expect(await optionsFor({ settings: { ...same, maxTokens: 9 } })).toStrictEqual({
      ...same,
      maxOutputTokens: 9,
    });
  });

  it('include the reasoning effort only in specification v4', async () => {
    const settings = { reasoning: 'low' } as const;

    expect(await optionsFor({ settings }, 'v4')).toStrictEqual({ reasoning: 'low' });
    expect(await optionsFor({ settings }, 'v3')).toStrictEqual({});
  });
});
