import { Agent } from 'holdpoint';
import { scriptedModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from './support/latch.ts';
import { untyped } from './support/untyped.ts';

/** Options of the reference API, in camel case. `prompt` of `resume` is its `user_prompt`. */
const REFERENCE_OPTIONS: ReadonlySet<string> = new Set([
  'capabilities',
  'conversationId',
  'deferredToolHandler',
  'deferredToolResults',
  'deps',
  'instructions',
  'messageHistory',
  'metadata',
  'model',
  'modelSettings',
  'name',
  'nativeTools',
  'output',
  'prompt',
  'retries',
  'runId',
  'systemPrompt',
  'tools',
  'toolsets',
  'usage',
  'validationContext',
]);

const MAX_OWN_OPTIONS = 12;
/** A run also has `events`. */
const MAX_OWN_RUN_OPTIONS = 13;
const model = scriptedModel(says('Done.'));
const unknown = untyped<never>({ zzzzzz: true });

/** Returns the options that an error about an unknown option lists and the reference does not have. */
function ownOptionsIn(error: unknown): readonly string[] {
  const [, list = ''] = /Known options: (.*)\.$/.exec(String(error)) ?? [];
  const options = list.split(', ').map((name) => name.replaceAll('`', ''));
  expect(options).toContain('model');
  return options.filter((name) => !REFERENCE_OPTIONS.has(name));
}

describe('options beyond those of the reference API', () => {
  it('of an agent are at most 12', async () => {
    const error = await rejectionOf(Promise.resolve().then(() => new Agent(unknown)));

    expect(ownOptionsIn(error).length).toBeLessThanOrEqual(MAX_OWN_OPTIONS);
  });

  it('of a run are at most 13', async () => {
    const error = await rejectionOf(new Agent({ model }).run('Go.', unknown));

    expect(ownOptionsIn(error).length).toBeLessThanOrEqual(MAX_OWN_RUN_OPTIONS);
  });
});
