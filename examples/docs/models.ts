// The ways to give an agent a model, for docs/models.md.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import {
  Agent,
  aiSdkModel,
  binaryContent,
  fallbackModel,
  type Model,
  ModelError,
  UsageLimitExceeded,
} from 'holdpoint';
import { type ModelCall, type ModelResponseData, WrapperModel } from 'holdpoint/models';
import { calls, functionModel, modelCall, says, scriptedModel } from 'holdpoint/testing';

// Three ways to choose a model.
{
  // #region ways
  const byObject = new Agent({ model: anthropic('claude-sonnet-4-5') });
  const byName = new Agent({ model: 'openai:gpt-5' });
  const forOneRun = new Agent({ instructions: 'Be brief.' });
  // #endregion
  const scripted = scriptedModel(says('Hello.'), says('Hello.'), says('Hello.'));
  for (const agent of [byObject, byName]) {
    await agent.override({ model: scripted }, () => agent.run('Hello?'));
  }
  const model = scripted;
  // #region for-one-run
  await forOneRun.run('Hello?', { model });
  // #endregion
  assert.equal(scripted.remaining, 0);
}

// Settings: the run takes precedence over the agent, the agent over the model.
{
  const model = scriptedModel(says('Yes.'));
  // #region settings
  const agent = new Agent({
    model,
    modelSettings: {
      temperature: 0.2,
      maxTokens: 1000,
      providerOptions: { openai: { serviceTier: 'flex' } },
    },
  });

  await agent.run('Is it so?', { modelSettings: { maxTokens: 10, reasoning: 'low' } });
  // #endregion
  assert.deepEqual(model.calls[0]?.settings, {
    temperature: 0.2,
    maxTokens: 10,
    reasoning: 'low',
    providerOptions: { openai: { serviceTier: 'flex' } },
  });
}

// Several models, one after the other.
{
  const failing = functionModel(() => {
    throw new ModelError('It has a problem.', { modelName: 'first', status: 503 });
  });
  const working = scriptedModel(says('I am here.'));
  {
    // #region fallback
    const model = fallbackModel(openai('gpt-5'), anthropic('claude-sonnet-4-5'));
    const agent = new Agent({ model });
    // #endregion
    const shown = fallbackModel(failing, working);
    const result = await agent.override({ model: shown }, () => agent.run('Hello?'));
    assert.equal(result.output, 'I am here.');
  }
}

// A prompt with more than text.
{
  const model = scriptedModel(says('A door.'));
  const agent = new Agent({ model });
  const file = new URL(import.meta.url);
  // #region files
  const { output } = await agent.run([
    'What is on these?',
    { kind: 'image-url', url: 'https://example.com/door.png' },
    binaryContent(await readFile(file), 'image/png'),
  ]);
  // #endregion
  assert.equal(output, 'A door.');
  const prompt = model.calls[0]?.messages[0]?.parts[0];
  assert.ok(prompt?.kind === 'user-prompt' && prompt.content.length === 3);
}

// A wrapper around a model.
{
  const slow: string[] = [];
  // #region wrapper
  class Timed extends WrapperModel {
    override async request(call: ModelCall): Promise<ModelResponseData> {
      const start = performance.now();
      try {
        return await super.request(call);
      } finally {
        slow.push(`${this.name}: ${Math.round(performance.now() - start)} ms`);
      }
    }
  }

  const model = new Timed(aiSdkModel(openai('gpt-5')));
  // #endregion
  assert.equal(model.name, 'gpt-5');
  const timed = new Timed(scriptedModel(says('Quick.')));
  await new Agent({ model: timed }).run('Go.');
  assert.match(slow[0] ?? '', /^scripted: \d+ ms$/);
}

// A custom model.
{
  // #region own
  const parrot: Model = {
    name: 'parrot',
    system: 'birds',
    async request({ messages }) {
      const part = messages.at(-1)?.parts.at(-1);
      const content = part?.kind === 'user-prompt' ? String(part.content) : '…';
      return { parts: [{ kind: 'text', content }], finishReason: 'stop' };
    },
  };

  const { output } = await new Agent({ model: parrot }).run('Hello!');
  // #endregion
  assert.equal(output, 'Hello!');
  assert.equal((await parrot.request(modelCall({}))).parts.length, 1);
}

// Limits of a run.
{
  const endless = functionModel(() => calls('again'));
  const agent = new Agent({ model: endless, retries: 100 });
  // #region limits
  const run = agent.run('Start.', { usageLimits: { requestLimit: 3, totalTokensLimit: 20_000 } });
  await assert.rejects(run, UsageLimitExceeded);
  // #endregion
}
console.log('Agents accept three forms of models.');
