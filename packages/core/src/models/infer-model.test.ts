import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeLanguageModel } from '../../test/support/fake-language-model.ts';
import { untyped } from '../../test/support/untyped.ts';
import { UserError } from '../errors/user-errors.ts';
import { aiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import { findProvider, inferModel, parseModelName } from './infer-model.ts';
import type { Model } from './model.ts';
import { TestModel } from './scripted/test-model.ts';

describe('inferModel', () => {
  beforeEach(() => {
    vi.stubEnv('OPENAI_API_KEY', 'test');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('returns a model unchanged', async () => {
    const languageModel = fakeLanguageModel();
    const model = aiSdkModel(languageModel);

    expect(await inferModel(model)).toBe(model);
    expect(await inferModel(languageModel)).toBe(model);
  });

  it('imports the package of the provider', async () => {
    expect(await inferModel('openai:gpt-5')).toMatchObject({ name: 'gpt-5', system: 'openai' });
    expect(await inferModel('openai-chat:gpt-5')).toMatchObject({ name: 'gpt-5' });
    expect(await inferModel('anthropic:claude-opus-4-5')).toMatchObject({ system: 'anthropic' });
  });

  it('names the command that installs a missing package', async () => {
    const model = async () => inferModel('google:gemini-3-pro');

    await expect(model()).rejects.toBeInstanceOf(UserError);
    await expect(model()).rejects.toMatchObject({ code: 'missing-package' });
    await expect(model()).rejects.toThrow(
      /requires the package `@ai-sdk\/google`.*npm install @ai-sdk\/google/s,
    );
  });

  it("returns a test model for 'test'", async () => {
    expect(await inferModel('test')).toBeInstanceOf(TestModel);
  });

  it('rejects a value that is not a model', async () => {
    const old = { ...fakeLanguageModel(), specificationVersion: 'v2' };

    await expect(inferModel(untyped<Model>(old))).rejects.toThrow(
      /specification `v2` are not supported/,
    );
    await expect(inferModel(untyped<Model>({}))).rejects.toThrow(/not a model/);
  });
});

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
  it('is the export that creates models', () => {
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
    const source = await readFile(new URL('./infer-model.ts', import.meta.url), 'utf8');
    const named = new Set(source.match(/@ai-sdk\/[a-z-]+/g));

    const peers = Object.keys(peerDependencies).filter((name) => name.startsWith('@ai-sdk/'));
    expect(new Set(peers)).toEqual(named);
    expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
    expect(Object.values(peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
  });
});
