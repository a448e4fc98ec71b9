import { describe, expect, it } from 'vitest';
import { fakeLanguageModel } from '../../../test/support/fake-language-model.ts';
import { modelCall } from '../../../test/support/model-call.ts';
import { ModelError } from '../../errors/model-errors.ts';
import { aiSdkModel } from './ai-sdk-model.ts';

const failWith = (error: unknown, signal = new AbortController().signal) =>
  aiSdkModel(fakeLanguageModel({ throws: error }))
    .request(modelCall({ signal }))
    .catch((caught: unknown) => caught);

function apiError(statusCode: number | undefined, responseBody = '') {
  const fields = { name: 'AI_APICallError', url: 'https://a.test', statusCode, responseBody };
  return Object.assign(new Error('Something is wrong.'), fields);
}

describe('an error of the provider', () => {
  it.each([
    [401, 'Check the API key'],
    [404, 'Check the name of the model'],
    [413, 'Use a shorter history'],
    [429, 'Send fewer requests'],
    [400, 'The provider rejected the request'],
    [529, 'fallbackModel()'],
  ])('with status %d contains advice', async (status, advice) => {
    const cause = apiError(status);

    const error = await failWith(cause);

    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ status, modelName: 'fake-1', cause });
    expect((error as ModelError).message).toContain(`status ${status}: Something is wrong. `);
    expect((error as ModelError).message).toContain(advice);
  });

  it('quotes the start of the response body', async () => {
    const error = await failWith(apiError(500, `<html>\n  ${'x'.repeat(10_000)}`));

    expect((error as ModelError).message).toContain('(<html> xxx');
    expect((error as ModelError).message.length).toBeLessThan(600);
  });
});

describe('an error of the network', () => {
  it.each([
    apiError(undefined),
    new TypeError('fetch failed'),
    new DOMException('slow', 'TimeoutError'),
    Object.assign(new Error('gone'), { code: 'ECONNRESET' }),
    new Error('gone', { cause: Object.assign(new Error('dns'), { code: 'ENOTFOUND' }) }),
  ])('is a ModelError without a status: %s', async (cause) => {
    const error = await failWith(cause);

    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ status: undefined, cause });
  });
});

describe('any other error', () => {
  it.each([
    Object.assign(new Error('No key.'), { name: 'AI_LoadAPIKeyError' }),
    Object.assign(new Error('No file.'), { code: 'ENOENT' }),
    new TypeError('x is not a function'),
    'a text',
  ])('is unchanged: %s', async (error) => {
    expect(await failWith(error)).toBe(error);
  });

  it('is unchanged if the run was cancelled', async () => {
    const reason = new DOMException('stop', 'AbortError');

    expect(await failWith(reason, AbortSignal.abort(reason))).toBe(reason);
  });
});
