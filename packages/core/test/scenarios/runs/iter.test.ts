import { getEventListeners } from 'node:events';
import { Agent, type Step, type StepEvent } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { workTool } from '../../support/work-tool.ts';

function makeAgent() {
  const { log, work } = workTool();
  const model = scriptedModel(calls('work', { on: 'it' }), 'Done.');
  return { agent: new Agent({ model, tools: [work] }), model, log };
}

describe('the steps of a run', () => {
  it('are yielded one by one', async () => {
    const { agent } = makeAgent();
    const steps: Step[] = [];

    for await (const step of agent.iter('Go.')) steps.push(step);

    expect(steps).toMatchObject([
      { kind: 'request-model', parts: [{ kind: 'user-prompt', content: 'Go.' }] },
      { kind: 'call-tools', response: { parts: [{ kind: 'tool-call', toolName: 'work' }] } },
      { kind: 'request-model', parts: [{ kind: 'tool-return', content: 'it done' }] },
      { kind: 'call-tools', response: { parts: [{ kind: 'text', content: 'Done.' }] } },
      { kind: 'finished', output: 'Done.' },
    ]);
  });

  it('are yielded before they execute', async () => {
    const { agent, model, log } = makeAgent();
    const progress: unknown[] = [];

    for await (const step of agent.iter('Go.')) {
      progress.push([step.kind, model.calls.length, log.length]);
    }

    expect(progress).toEqual([
      ['request-model', 0, 0],
      ['call-tools', 1, 0],
      ['request-model', 1, 1],
      ['call-tools', 2, 1],
      ['finished', 2, 1],
    ]);
  });

  it('come with the conversation and the usage so far, and at the end with the result', async () => {
    const { agent } = makeAgent();
    const iterator = agent.iter('Go.');
    const lengths: unknown[] = [];

    expect([iterator.messages, iterator.usage, iterator.result]).toEqual([
      [],
      undefined,
      undefined,
    ]);
    for await (const _ of iterator) {
      lengths.push([iterator.messages.length, iterator.usage?.requests, iterator.result?.output]);
    }

    expect(lengths).toEqual([
      [0, 0, undefined],
      [2, 1, undefined],
      [2, 1, undefined],
      [4, 2, undefined],
      [4, 2, 'Done.'],
    ]);
    expect(iterator.result).toMatchObject({ status: 'finished', output: 'Done.' });
    expect(iterator.result?.messages).toEqual(iterator.messages);
  });

  it('leave the result available if the loop ends at the last step', async () => {
    const { agent } = makeAgent();
    const iterator = agent.iter('Go.');

    for await (const step of iterator) if (step.kind === 'finished') break;

    expect(iterator.result).toMatchObject({ output: 'Done.' });
  });

  it('end after the last step, for any number of reads', async () => {
    const { agent } = makeAgent();
    const iterator = agent.iter('Go.');
    for await (const _ of iterator);

    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('start with the first call of next', async () => {
    const { agent, model } = makeAgent();

    const iterator = agent.iter('Go.');
    await new Promise((resolve) => setTimeout(resolve, 5));

    expect(model.calls).toHaveLength(0);
    expect(iterator.messages).toEqual([]);
  });

  it('belong to one run, also with two concurrent calls of next', async () => {
    const { agent, model } = makeAgent();
    const iterator = agent.iter('Go.');

    const steps = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);

    expect(steps.map(({ value }) => value?.kind)).toEqual([
      'request-model',
      'call-tools',
      'request-model',
    ]);
    expect(model.calls).toHaveLength(1);
  });

  it('come with the events of the tools', async () => {
    const { agent } = makeAgent();
    const events: StepEvent[] = [];

    const iterator = agent.iter('Go.', { onEvent: (event) => void events.push(event) });
    for await (const _ of iterator);

    expect(events.map(({ kind }) => kind)).toEqual(['tool-call', 'tool-result']);
  });
});

describe('leaving the loop', () => {
  it('stops the run before the step executes', async () => {
    const { signal } = new AbortController();
    const { agent, model, log } = makeAgent();
    const iterator = agent.iter('Go.', { signal });

    for await (const step of iterator) if (step.kind === 'call-tools') break;

    expect([model.calls.length, log, iterator.result]).toEqual([1, [], undefined]);
    expect(iterator.messages).toHaveLength(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('leaves no further steps', async () => {
    const { agent } = makeAgent();
    const iterator = agent.iter('Go.');

    for await (const _ of iterator) break;

    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('before the first step never starts the run', async () => {
    const { agent, model } = makeAgent();
    const iterator = agent.iter('Go.');

    await iterator.return();

    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(model.calls).toHaveLength(0);
  });

  it('leaves a history that can continue', async () => {
    const { agent, model } = makeAgent();
    const iterator = agent.iter('Go.');
    for await (const step of iterator) if (step.kind === 'call-tools') break;

    const result = await agent.run(undefined, { messageHistory: iterator.messages });

    expect(result.output).toBe('Done.');
    expect(model.calls).toHaveLength(2);
  });
});

describe('a step that fails', () => {
  it('throws, keeps the conversation, and is the last', async () => {
    const down = new Error('The line is down.');
    const iterator = new Agent({ model: scriptedModel(down) }).iter('Go.');
    await iterator.next();

    await expect(iterator.next()).rejects.toBe(down);
    expect(iterator.messages).toMatchObject([{ kind: 'request' }]);
    expect(iterator.result).toBeUndefined();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});
