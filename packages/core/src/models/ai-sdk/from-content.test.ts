import { describe, expect, it } from 'vitest';
import { fakeLanguageModel } from '../../../test/support/fake-language-model.ts';
import { modelCall } from '../../../test/support/model-call.ts';
import { ModelError } from '../../errors/model-errors.ts';
import { aiSdkModel } from './ai-sdk-model.ts';
import type { LanguageModelResult } from './language-model.ts';

const respond = (response: { content?: readonly { type: string; [field: string]: unknown }[] }) =>
  aiSdkModel(fakeLanguageModel({ response })).request(modelCall());
const about = (response: Partial<LanguageModelResult>) =>
  aiSdkModel(fakeLanguageModel({ response })).request(modelCall());

describe('a response in one piece', () => {
  it('contains text, reasoning and calls, with the metadata that the provider expects back', async () => {
    const providerMetadata = { openai: { itemId: 'i', none: undefined } };
    const providerDetails = { openai: { itemId: 'i' } };

    const { parts } = await respond({
      content: [
        { type: 'reasoning', text: 'Hm.', providerMetadata: { anthropic: { signature: 's' } } },
        { type: 'reasoning', text: 'Hm?' },
        { type: 'text', text: 'Hi.', providerMetadata },
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{ "a":1}', providerMetadata },
      ],
    });

    expect(parts).toStrictEqual([
      {
        kind: 'thinking',
        content: 'Hm.',
        signature: 's',
        providerDetails: { anthropic: { signature: 's' } },
      },
      { kind: 'thinking', content: 'Hm?' },
      { kind: 'text', content: 'Hi.', providerDetails },
      { kind: 'tool-call', toolCallId: 'c', toolName: 't', args: '{ "a":1}', providerDetails },
    ]);
  });

  it('omits empty parts, except for reasoning with provider metadata', async () => {
    const providerMetadata = { anthropic: { redactedData: 'x' } };

    const { parts } = await respond({
      content: [
        { type: 'text', text: '' },
        { type: 'reasoning', text: '' },
        { type: 'reasoning', text: '', providerMetadata },
      ],
    });

    expect(parts).toEqual([{ kind: 'thinking', content: '', providerDetails: providerMetadata }]);
  });

  it('distinguishes native tools from functions', async () => {
    const tool = { toolCallId: 'n', toolName: 'search' };

    const { parts } = await respond({
      content: [
        { type: 'tool-call', ...tool, input: '{}', providerExecuted: true },
        { type: 'tool-result', ...tool, result: [1], preliminary: true },
        { type: 'tool-result', ...tool, result: [1, 2] },
        { type: 'tool-result', ...tool, result: 'no', isError: true },
      ],
    });

    expect(parts).toEqual([
      { kind: 'native-tool-call', ...tool, args: '{}' },
      { kind: 'native-tool-return', ...tool, content: [1, 2], outcome: 'success' },
      { kind: 'native-tool-return', ...tool, content: 'no', outcome: 'failed' },
    ]);
  });

  it('contains files with data, in the formats of v3 and v4', async () => {
    const bytes = new Uint8Array([0, 1, 2]);
    const file = { type: 'file', mediaType: 'image/png' };

    const { parts, providerDetails } = await respond({
      content: [
        { ...file, data: 'AAEC' },
        { ...file, data: bytes },
        { ...file, data: { type: 'data', data: bytes } },
        { ...file, data: { type: 'url', url: new URL('https://a.test/x.png') } },
      ],
    });

    const content = { kind: 'binary', data: 'AAEC', mediaType: 'image/png' };
    expect(parts).toEqual([1, 2, 3].map(() => ({ kind: 'file', content })));
    expect(providerDetails).toEqual({
      sources: [{ ...file, data: { type: 'url', url: 'https://a.test/x.png' } }],
    });
  });

  it('stores sources in the provider details, and skips unknown kinds', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/' };

    const { parts, providerDetails } = await respond({
      content: [source, { type: 'custom', kind: 'x.y' }, { type: 'text', text: 'Hi.' }],
    });

    expect(parts).toEqual([{ kind: 'text', content: 'Hi.' }]);
    expect(providerDetails).toEqual({ sources: [source] });
  });

  it('is an error if the provider requests an approval', async () => {
    const response = respond({
      content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }],
    });

    await expect(response).rejects.toBeInstanceOf(ModelError);
    await expect(response).rejects.toThrow(/approval for its native tool call `c`/);
  });

  it('contains usage, finish reason and provider', async () => {
    const { parts: _, ...rest } = await about({
      usage: {
        inputTokens: { total: 10, cacheRead: 4, cacheWrite: undefined },
        outputTokens: { total: 7, reasoning: 3 },
      },
      finishReason: { unified: 'tool-calls' },
      response: { id: 'r1', modelId: 'fake-1-2026', timestamp: new Date(0) },
      providerMetadata: { fake: { tier: 'gold' } },
    });

    expect(rest).toStrictEqual({
      usage: {
        inputTokens: 10,
        outputTokens: 7,
        cacheReadTokens: 4,
        details: { reasoning_tokens: 3 },
      },
      finishReason: 'tool_call',
      modelName: 'fake-1-2026',
      providerName: 'fake',
      providerResponseId: 'r1',
      timestamp: '1970-01-01T00:00:00.000Z',
      providerDetails: { fake: { tier: 'gold' } },
    });
  });

  it('omits unknown fields', async () => {
    const { parts: _, ...rest } = await about({ finishReason: { unified: 'other' }, usage: {} });

    expect(rest).toStrictEqual({ modelName: 'fake-1', providerName: 'fake' });
  });

  it.each([
    ['content-filter', 'content_filter'],
    ['length', 'length'],
    ['error', 'error'],
  ])('reads the finish reason %s as %s', async (unified, finishReason) => {
    expect(await about({ finishReason: { unified } })).toMatchObject({ finishReason });
  });
});
