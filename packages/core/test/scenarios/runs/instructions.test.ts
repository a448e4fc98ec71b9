import { Agent, type ModelSettings, type RunContext, tool } from 'holdpoint';
import { calls, functionModel, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

const noop = tool({ name: 'noop', execute: () => 'nothing' });

describe('instructions', () => {
  it('are sent with every request: fixed ones first, then those of functions', async () => {
    const model = scriptedModel(calls('noop'), 'Done.');
    const agent = new Agent({
      model,
      tools: [noop],
      instructions: [
        async (ctx: RunContext<string>) => `The user is ${ctx.deps}.`,
        'Be brief.',
        'Be kind.',
        (ctx) => `This is step ${ctx.runStep}.`,
      ],
    });

    const result = await agent.run('Go.', { deps: 'Ada' });

    const said = (step: number) =>
      `Be brief.\nBe kind.\n\nThe user is Ada.\n\nThis is step ${step}.`;
    expect(model.calls.map((call) => call.instructions)).toEqual([said(1), said(2)]);
    expect(
      result.messages.map((message) => 'instructions' in message && message.instructions),
    ).toEqual([said(1), false, said(2), false]);
  });

  it('are left out if they are empty', async () => {
    const model = scriptedModel('Hello.', 'Hello.');
    const quiet = new Agent({
      model,
      instructions: ['', () => '', () => undefined, async () => null],
    });

    const result = await quiet.run('Hi');
    await new Agent({ model, instructions: [() => undefined, 'Be brief.', ''] }).run('Hi');

    expect(model.calls.map((call) => call.instructions)).toEqual([undefined, 'Be brief.']);
    expect(result.messages[0]).not.toHaveProperty('instructions');
  });

  it('of a run follow those of the agent', async () => {
    const model = scriptedModel('Hello.', 'Hello.');
    const agent = new Agent({ model, instructions: ['Be brief.', () => 'It is Monday.'] });

    await agent.run('Hi', { instructions: ['Be kind.', () => 'It rains.'] });
    await agent.run('Hi');

    expect(model.calls.map((call) => call.instructions)).toEqual([
      'Be brief.\nBe kind.\n\nIt is Monday.\n\nIt rains.',
      'Be brief.\n\nIt is Monday.',
    ]);
  });

  it('come from the current run, not from the earlier one', async () => {
    const model = scriptedModel('Hello.', 'Bye.');

    const { messages } = await new Agent({ model, instructions: 'Be brief.' }).run('Hi');
    await new Agent({ model }).run('Bye', { messageHistory: messages });

    expect(model.calls[1]?.instructions).toBeUndefined();
  });

  it('are sufficient to start a run', async () => {
    const model = scriptedModel('Once upon a time.');

    const result = await new Agent({ model, instructions: 'Tell a story.' }).run();

    expect(result.output).toBe('Once upon a time.');
    expect(result.messages[0]?.parts).toEqual([]);
  });

  it('end the run with the error that they throw', async () => {
    const broken = new Error('No database.');
    const agent = new Agent({
      model: scriptedModel('x'),
      instructions: () => Promise.reject(broken),
    });

    await expect(agent.run('Hi')).rejects.toBe(broken);
  });
});

describe('system prompts', () => {
  it('come first in the conversation, in order, without empty ones', async () => {
    const agent = new Agent({
      model: scriptedModel('Hello.'),
      systemPrompt: ['One.', async (ctx) => `Two for ${String(ctx.prompt)}.`, () => '', 'Three.'],
      instructions: 'Be brief.',
    });

    const result = await agent.run('Hi');

    expect(result.messages[0]).toMatchObject({
      instructions: 'Be brief.',
      parts: [
        { kind: 'system-prompt', content: 'One.' },
        { kind: 'system-prompt', content: 'Two for Hi.' },
        { kind: 'system-prompt', content: 'Three.' },
        { kind: 'user-prompt', content: 'Hi' },
      ],
    });
  });

  it('are sent once, also when the conversation continues', async () => {
    let promptCalls = 0;
    const model = scriptedModel(calls('noop'), 'Hello.', 'Bye.');
    const systemPrompt = () => `Called ${++promptCalls} time.`;
    const agent = new Agent({ model, tools: [noop], systemPrompt });

    const first = await agent.run('Hi');
    const second = await agent.run('Bye', { messageHistory: first.messages });

    const prompts = second.messages.flatMap((message) =>
      message.parts.filter((part) => part.kind === 'system-prompt'),
    );
    expect(prompts).toEqual([{ kind: 'system-prompt', content: 'Called 1 time.' }]);
    expect(promptCalls).toBe(1);
  });
});

describe('model settings', () => {
  const settled = (settings?: ModelSettings) => {
    const seen: (ModelSettings | undefined)[] = [];
    const model = functionModel((call) => {
      seen.push(call.settings);
      return 'Hello.';
    });
    return { model: { ...model, settings }, seen };
  };

  it('of the run override those of the agent, which override those of the model', async () => {
    const { model, seen } = settled({ temperature: 1, maxTokens: 1, seed: 1 });
    const agent = new Agent({ model, modelSettings: { maxTokens: 2, seed: 2 } });

    await agent.run('Hi', { modelSettings: { seed: 3, topP: undefined } });
    await agent.run('Hi');

    expect(seen).toEqual([
      { temperature: 1, maxTokens: 2, seed: 3 },
      { temperature: 1, maxTokens: 2, seed: 2 },
    ]);
  });

  it('merge headers by name and options by provider', async () => {
    const { model, seen } = settled({
      headers: { a: '1', b: '1' },
      providerOptions: { x: { a: 1 } },
    });
    const agent = new Agent({ model, modelSettings: { headers: { b: '2' } } });

    await agent.run('Hi', { modelSettings: { providerOptions: { x: { b: 2 }, y: { c: 3 } } } });

    expect(seen).toEqual([
      { headers: { a: '1', b: '2' }, providerOptions: { x: { a: 1, b: 2 }, y: { c: 3 } } },
    ]);
  });

  it('are empty by default', async () => {
    const { model, seen } = settled();

    await new Agent({ model }).run('Hi');

    expect(seen).toEqual([undefined]);
  });
});
