import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { UserError } from '../errors/user-errors.ts';
import { findProvider, parseModelName } from './model-name.ts';

describe('the name of a model', () => {
  it.each([
    ['openai:gpt-5', '@ai-sdk/openai', 'openai', 'gpt-5'],
    ['openai-chat:gpt-5', '@ai-sdk/openai', 'openai.chat', 'gpt-5'],
    ['openai-responses:gpt-5', '@ai-sdk/openai', 'openai.responses', 'gpt-5'],
    ['anthropic:claude-opus-4-5', '@ai-sdk/anthropic', 'anthropic', 'claude-opus-4-5'],
    ['google:gemini-3-pro', '@ai-sdk/google', 'google', 'gemini-3-pro'],
    ['bedrock:us.claude:0', '@ai-sdk/amazon-bedrock', 'bedrock', 'us.claude:0'],
    ['gateway/openai:gpt-5', '@ai-sdk/gateway', 'gateway', 'openai/gpt-5'],
    ['gateway/openai/gpt-5', '@ai-sdk/gateway', 'gateway', 'openai/gpt-5'],
    ['gateway:openai/gpt-5', '@ai-sdk/gateway', 'gateway', 'openai/gpt-5'],
  ])('%s comes from %s', (text, packageName, factory, modelId) => {
    expect(parseModelName(text)).toEqual({
      text,
      packageName,
      factory: factory.split('.'),
      modelId,
    });
  });

  it.each([
    ['gpt-5', /has no provider.*`openai:gpt-5`/],
    ['opnai:gpt-5', /Unknown provider `opnai`.* Use one of .*anthropic.*openai/],
    ['constructor:x', /Unknown provider `constructor`/],
    ['openai:', /has a provider but no model name/],
  ])('rejects `%s` with the form to use', (text, message) => {
    expect(() => parseModelName(text)).toThrow(UserError);
    expect(() => parseModelName(text)).toThrow(message);
  });
});

describe('the provider in a package', () => {
  it('is the export that makes models', () => {
    const chat = (modelId: string) => modelId;

    expect(findProvider({ openai: { chat } }, parseModelName('openai-chat:x'))).toBe(chat);
  });

  it('is named in the error together with the package if it is missing', () => {
    expect(() => findProvider({ openai: {} }, parseModelName('openai-chat:x'))).toThrow(
      /`openai.chat` from `@ai-sdk\/openai`/,
    );
  });
});

describe('the providers that have a name', () => {
  it('are optional peer dependencies, so that strict package managers resolve them', async () => {
    const { peerDependencies, peerDependenciesMeta } = (
      await import('../../package.json', { with: { type: 'json' } })
    ).default;
    const source = await readFile(new URL('./model-name.ts', import.meta.url), 'utf8');
    const named = new Set(source.match(/@ai-sdk\/[a-z-]+/g));

    const peers = Object.keys(peerDependencies).filter((name) => name.startsWith('@ai-sdk/'));
    expect(new Set(peers)).toEqual(named);
    expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
    expect(Object.values(peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
  });
});
