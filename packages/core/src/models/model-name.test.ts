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
    ['gpt-5', /does not say who provides it.*'openai:gpt-5'/],
    ['opnai:gpt-5', /'opnai' .* not known. Known are .*anthropic.*openai/],
    ['constructor:x', /'constructor' .* not known/],
    ['openai:', /names a provider but no model/],
  ])('%s is an error that says what to write', (text, message) => {
    expect(() => parseModelName(text)).toThrow(UserError);
    expect(() => parseModelName(text)).toThrow(message);
  });
});

describe('the provider in a package', () => {
  it('is the export that makes models', () => {
    const chat = (modelId: string) => modelId;

    expect(findProvider({ openai: { chat } }, parseModelName('openai-chat:x'))).toBe(chat);
  });

  it('is missed with the name of the package', () => {
    expect(() => findProvider({ openai: {} }, parseModelName('openai-chat:x'))).toThrow(
      /`openai.chat` from @ai-sdk\/openai/,
    );
  });
});

describe('the providers that have a name', () => {
  it('are optional peers of the package, so that strict package managers let it see them', async () => {
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
