import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeLanguageModel } from '../../test/support/fake-language-model.ts';
import { untyped } from '../../test/support/untyped.ts';
import { UserError } from '../errors/user-errors.ts';
import { aiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import { inferModel } from './infer-model.ts';
import { TestModel } from './scripted/test-model.ts';
import type { Model } from './model.ts';

describe('inferModel', () => {
  beforeEach(() => {
    vi.stubEnv('OPENAI_API_KEY', 'test');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('returns a model as it is', async () => {
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
