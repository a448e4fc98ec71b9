import { describe, expect, it } from 'vitest';
import { fakeLanguageModel } from '../../../../test/support/fake-language-model.ts';
import { modelCall, toolDefinition } from '../../../../test/support/model-call.ts';
import { UserError } from '../../../errors/user-errors.ts';
import type { ModelCall } from '../../model.ts';
import type { NativeTool } from '../../native-tool.ts';
import { aiSdkModel } from '../ai-sdk-model.ts';

const ALL: readonly NativeTool[] = [
  { kind: 'web-search' },
  { kind: 'web-fetch' },
  { kind: 'code-execution' },
  { kind: 'image-generation' },
  { kind: 'file-search', storeIds: ['store'] },
  { kind: 'memory' },
  { kind: 'mcp-server', id: 'wiki', url: 'https://wiki.example' },
  { kind: 'tool-search' },
];

const languageModel = (provider: string, modelId = 'some-model') => ({
  ...fakeLanguageModel(),
  provider,
  modelId,
});

function kindsOf(provider: string, modelId?: string): string {
  const model = aiSdkModel(languageModel(provider, modelId));
  return ALL.filter((tool) => model.supportsNative?.(tool))
    .map(({ kind }) => kind)
    .join(' ');
}

async function offer(provider: string, call: Partial<ModelCall>) {
  const model = languageModel(provider, 'gemini-3-pro');
  await aiSdkModel(model).request(modelCall(call));
  return model.received[0];
}

describe('the native tools of a model', () => {
  it.each([
    [
      'openai.responses',
      'gpt-5',
      'web-search code-execution image-generation file-search mcp-server',
    ],
    ['openai.chat', 'gpt-5', ''],
    ['azure.responses', 'gpt-5', 'web-search code-execution image-generation file-search'],
    [
      'anthropic.messages',
      'claude-sonnet-4-5',
      'web-search web-fetch code-execution memory mcp-server tool-search',
    ],
    ['googleVertex.anthropic.messages', 'claude-sonnet-4-5', 'web-search tool-search'],
    ['google.generative-ai', 'gemini-3-pro', 'web-search web-fetch code-execution file-search'],
    ['google.generative-ai', 'gemini-2.5-flash', ''],
    ['google.vertex.chat', 'gemini-3-pro', 'web-search web-fetch code-execution'],
    [
      'xai.responses',
      'grok-4',
      'web-search code-execution image-generation file-search mcp-server',
    ],
    ['groq.chat', 'openai/gpt-oss-120b', 'web-search'],
    ['groq.chat', 'llama-3.3-70b', ''],
    ['somebody.chat', 'a-model', ''],
  ])('depend on its interface and its id: %s, %s', (provider, modelId, kinds) => {
    expect(kindsOf(provider, modelId)).toBe(kinds);
  });

  it.each([
    ['openai.responses', 'gpt-5.4', true],
    ['openai.responses', 'gpt-5.4-mini-2026-03-05', true],
    ['openai.responses', 'gpt-5.10', true],
    ['openai.responses', 'gpt-6-astra', true],
    ['openai.responses', 'gpt-5.3-codex', false],
    ['openai.responses', 'gpt-4.1', false],
    ['openai.responses', 'o3', false],
    ['anthropic.messages', 'claude-opus-4-5-20251101', true],
    ['anthropic.messages', 'claude-haiku-4-5', true],
    ['anthropic.messages', 'claude-fable-5', true],
    ['anthropic.messages', 'claude-opus-4-1-20250805', false],
    ['anthropic.messages', 'claude-opus-4-1', false],
    ['anthropic.messages', 'claude-sonnet-4-20250514', false],
    ['anthropic.messages', 'claude-3-7-sonnet-latest', false],
  ])('include tool search only if the model supports it: %s, %s', (provider, modelId, expected) => {
    const model = aiSdkModel(languageModel(provider, modelId));

    expect(model.supportsNative?.({ kind: 'tool-search' })).toBe(expected);
  });

  it.each([
    ['openai.responses', 'openai.local_shell', true],
    ['azure.responses', 'openai.local_shell', true],
    ['openai.responses', 'anthropic.bash_20250124', false],
    ['openai.chat', 'openai.local_shell', false],
    ['anthropic.messages', 'anthropic.bash_20250124', true],
    ['somebody.chat', 'somebody.magic', true],
    ['somebody.chat', 'some.magic', false],
  ] as const)('are those of the provider by its name: %s, %s', (provider, id, expected) => {
    const model = aiSdkModel(languageModel(provider));

    expect(model.supportsNative?.({ kind: 'provider', id, name: 'own' })).toBe(expected);
  });
});

describe('native tools of a call', () => {
  it('have their arguments, and come before the functions', async () => {
    const options = await offer('google.generative-ai', {
      functionTools: [toolDefinition()],
      nativeTools: [
        { kind: 'file-search', storeIds: ['stores/a'], maxResults: 2 },
        { kind: 'web-search', contextSize: 'high' },
      ],
    });

    expect(options?.tools).toMatchObject([
      {
        type: 'provider',
        id: 'google.file_search',
        name: 'file_search',
        args: { fileSearchStoreNames: ['stores/a'], topK: 2 },
      },
      { type: 'provider', id: 'google.google_search', name: 'web_search', args: {} },
      { type: 'function', name: 'weather' },
    ]);
  });

  it('are rejected with a limit that the provider does not support', async () => {
    const offered = offer('openai.responses', {
      nativeTools: [{ kind: 'web-search', maxUses: 2 }],
    });

    await expect(offered).rejects.toBeInstanceOf(UserError);
    await expect(offered).rejects.toThrow(
      /`web-search` of openai does not support `maxUses`, so the limit would have no effect/,
    );
  });

  it('omit a hint that the provider does not support', async () => {
    const nativeTools = [{ kind: 'web-search', userLocation: { city: 'Oslo' } }] as const;

    const options = await offer('xai.responses', { nativeTools });

    expect(options?.tools).toEqual([
      { type: 'provider', id: 'xai.web_search', name: 'web_search', args: {} },
    ]);
  });

  it('are rejected if a function has the same name', async () => {
    const offered = offer('anthropic.messages', {
      functionTools: [toolDefinition({ name: 'web_search' })],
      nativeTools: [{ kind: 'web-search' }],
    });

    await expect(offered).rejects.toThrow(/have the same name `web_search`.*unlessNative/s);
  });

  it('are rejected without the function that executes the calls of a described tool', async () => {
    const offered = offer('anthropic.messages', { nativeTools: [{ kind: 'memory' }] });

    await expect(offered).rejects.toThrow(/Add a tool named `memory`/);
  });

  it('are rejected if the model does not support them', async () => {
    const offered = offer('openai.chat', { nativeTools: [{ kind: 'web-search' }] });

    await expect(offered).rejects.toThrow(/does not support the native tool `web-search`/);
  });

  it('do not mark hidden functions without a search', async () => {
    const functionTools = [toolDefinition({ deferLoading: true })];

    const options = await offer('anthropic.messages', { functionTools });

    expect(options?.tools?.[0]).not.toHaveProperty('providerOptions');
  });
});
