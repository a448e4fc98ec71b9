import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { fakeLanguageModel } from '../../../test/support/fake-language-model.ts';
import { modelCall, userRequest } from '../../../test/support/model-call.ts';
import type { Message } from '../../messages/message.ts';
import { aiSdkModel, isAiSdkModel } from './ai-sdk-model.ts';

describe('aiSdkModel', () => {
  it('returns the same model for the same language model', () => {
    const languageModel = fakeLanguageModel();

    expect(aiSdkModel(languageModel)).toBe(aiSdkModel(languageModel));
    expect(aiSdkModel(languageModel)).not.toBe(aiSdkModel(fakeLanguageModel()));
  });

  it('is named after the model and its provider', () => {
    expect(aiSdkModel(createOpenAI({ apiKey: 'x' })('gpt-5'))).toMatchObject({
      name: 'gpt-5',
      system: 'openai',
    });
    expect(aiSdkModel(createAnthropic({ apiKey: 'x' })('claude-opus-4-5'))).toMatchObject({
      name: 'claude-opus-4-5',
      system: 'anthropic',
    });
  });

  it('passes the signal of the run to the language model', async () => {
    const languageModel = fakeLanguageModel();
    const { signal } = new AbortController();

    await aiSdkModel(languageModel).request(modelCall({ signal }));

    expect(languageModel.received[0]?.abortSignal).toBe(signal);
  });

  it('does not change the prompt of an earlier request', async () => {
    const languageModel = fakeLanguageModel();
    const model = aiSdkModel(languageModel);
    const messages: Message[] = [userRequest('Hello')];
    await model.request(modelCall({ messages }));
    messages.push({ kind: 'response', parts: [{ kind: 'text', content: 'Hi.' }] });
    messages.push(userRequest('Bye'));

    await model.request(modelCall({ messages }));

    const hello = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
    expect(languageModel.received.map(({ prompt }) => prompt.length)).toEqual([1, 3]);
    expect(languageModel.received[0]?.prompt).toEqual([hello]);
  });
});

describe('isAiSdkModel', () => {
  it('accepts the specifications v3 and v4', () => {
    expect(isAiSdkModel(fakeLanguageModel({ version: 'v3' }))).toBe(true);
    expect(isAiSdkModel(fakeLanguageModel({ version: 'v4' }))).toBe(true);
    expect(isAiSdkModel({ ...fakeLanguageModel(), specificationVersion: 'v2' })).toBe(false);
    expect(isAiSdkModel(aiSdkModel(fakeLanguageModel()))).toBe(false);
    expect(isAiSdkModel('openai:gpt-5')).toBe(false);
    expect(isAiSdkModel(null)).toBe(false);
  });
});
