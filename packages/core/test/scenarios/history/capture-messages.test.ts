import { Agent, captureRunMessages, tool } from 'holdpoint';
import { calls, functionModel, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

const kindsOf = (messages: readonly { readonly kind: string }[]) =>
  messages.map((message) => message.kind);
const promptOf = ({ messages }: { messages: readonly { readonly parts: readonly object[] }[] }) =>
  messages[0]?.parts[0];

describe('capturing the messages of a run', () => {
  it('keeps the messages when the run succeeds', async () => {
    const agent = new Agent({ model: scriptedModel('Hello.') });

    const captured = await captureRunMessages(() => agent.run('Hi'));

    expect(captured).toMatchObject({ status: 'fulfilled', value: { output: 'Hello.' } });
    expect(kindsOf(captured.messages)).toEqual(['request', 'response']);
  });

  it('keeps the messages when the run fails, so that another run can continue', async () => {
    const broken = new Error('Disk full.');
    let full = true;
    const save = tool({
      name: 'save',
      execute() {
        if (full) throw broken;
        return 'saved';
      },
    });
    const agent = new Agent({ model: scriptedModel(calls('save'), 'Saved.'), tools: [save] });

    const captured = await captureRunMessages(() => agent.run('Save.'));
    full = false;
    const result = await agent.run(undefined, { messageHistory: captured.messages });

    expect(captured).toMatchObject({ status: 'rejected', reason: broken });
    expect(kindsOf(captured.messages)).toEqual(['request', 'response']);
    expect(result.output).toBe('Saved.');
  });

  it('keeps the messages of the first run only', async () => {
    const agent = new Agent({ model: functionModel(() => 'Hello.') });

    const captured = await captureRunMessages(async () => {
      await agent.run('One');
      await agent.run('Two');
    });

    expect(promptOf(captured)).toMatchObject({ content: 'One' });
  });

  it('keeps the messages of the run, not of nested runs', async () => {
    const sub = new Agent({ model: functionModel(() => 'Hello.') });
    const ask = tool({ name: 'ask', execute: async () => (await sub.run('Inner')).output });
    const agent = new Agent({ model: scriptedModel(calls('ask'), 'Done.'), tools: [ask] });

    const captured = await captureRunMessages(() => agent.run('Outer'));

    expect(promptOf(captured)).toMatchObject({ content: 'Outer' });
    expect(captured.messages).toHaveLength(4);
  });

  it('keeps the messages of streams and steps', async () => {
    const agent = new Agent({ model: functionModel(() => 'Hello.') });

    const streamed = await captureRunMessages(() => agent.stream('Stream').result);
    const stepped = await captureRunMessages(async () => {
      for await (const _ of agent.iter('Steps'));
    });

    expect(promptOf(streamed)).toMatchObject({ content: 'Stream' });
    expect(promptOf(stepped)).toMatchObject({ content: 'Steps' });
  });

  it('separates concurrent runs', async () => {
    const agent = new Agent({
      model: functionModel(async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        return says('Hello.');
      }),
    });

    const captured = await Promise.all([
      captureRunMessages(() => agent.run('One')),
      captureRunMessages(() => agent.run('Two')),
      agent.run('Neither'),
    ]);

    expect(captured.map(promptOf)).toMatchObject([
      { content: 'One' },
      { content: 'Two' },
      { content: 'Neither' },
    ]);
  });

  it('keeps the first run for an outer capture as well', async () => {
    const agent = new Agent({ model: functionModel(() => 'Hello.') });

    const outer = await captureRunMessages(async () => {
      const inner = await captureRunMessages(() => agent.run('One'));
      await agent.run('Two');
      return inner;
    });

    expect(outer).toMatchObject({ status: 'fulfilled', value: { status: 'fulfilled' } });
    expect(promptOf(outer)).toMatchObject({ content: 'One' });
  });

  it('keeps nothing if no run was started', async () => {
    const captured = await captureRunMessages(async () => 'nothing');

    expect(captured).toEqual({ status: 'fulfilled', value: 'nothing', messages: [] });
  });
});
