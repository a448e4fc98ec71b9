import { Agent, type RunContext, type StepEvent, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectNoUnhandledRejections } from '../../support/unhandled-rejections.ts';

const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 10));
const double = tool({
  name: 'double',
  inputSchema: z.object({ n: z.number() }),
  execute: ({ n }) => n * 2,
});
const twice = () => responds(calls('double', { n: 1 }), calls('double', { n: 2 }));

expectNoUnhandledRejections();

describe('onEvent', () => {
  it('is notified of tool calls and results of a run, not of model responses', async () => {
    const events: StepEvent[] = [];
    const agent = new Agent({ model: scriptedModel(twice(), 'Done.'), tools: [double] });

    await agent.run('Go.', { onEvent: (event) => void events.push(event) });

    expect(events).toMatchObject([
      { kind: 'tool-call', part: { toolCallId: 'call-1' }, argsValid: true },
      { kind: 'tool-call', part: { toolCallId: 'call-2' }, argsValid: true },
      { kind: 'tool-result', part: { toolCallId: 'call-1', content: 2 } },
      { kind: 'tool-result', part: { toolCallId: 'call-2', content: 4 } },
    ]);
  });

  it('is notified of all events of a streamed run, before the consumer', async () => {
    const seen: string[] = [];
    const model = scriptedModel(says('Hello.', { chunks: ['Hel', 'lo.'] }));

    await new Agent({ model }).stream('Hi', { onEvent: ({ kind }) => void seen.push(kind) }).result;

    expect(seen).toEqual([
      'response-start',
      'part-start',
      'final-result',
      'text-delta',
      'text-delta',
      'part-end',
    ]);
  });

  it('is awaited for each event before the run continues', async () => {
    const log: string[] = [];
    const model = scriptedModel(twice(), () => {
      log.push('next request');
      return 'Done.';
    });
    const onEvent = async ({ kind }: StepEvent) => {
      log.push(`${kind} begins`);
      await aWhile();
      log.push(`${kind} ends`);
    };

    await new Agent({ model, tools: [double] }).run('Go.', { onEvent });

    const each = (kind: string) => [`${kind} begins`, `${kind} ends`];
    expect(log).toEqual([
      ...each('tool-call'),
      ...each('tool-call'),
      ...each('tool-result'),
      ...each('tool-result'),
      'next request',
    ]);
  });

  it.each([
    ['throws', 'tool-call'],
    ['throws', 'tool-result'],
    ['rejects', 'tool-call'],
    ['rejects', 'tool-result'],
  ])('fails the run when it %s on a %s', async (how, kind) => {
    const broken = new Error('The log is full.');
    const model = scriptedModel(twice(), 'Done.');
    const onEvent = (event: StepEvent): void | Promise<void> => {
      if (event.kind !== kind) return;
      if (how === 'rejects') return Promise.reject(broken);
      throw broken;
    };

    const running = new Agent({ model, tools: [double] }).run('Go.', { onEvent });

    await expect(running).rejects.toBe(broken);
    expect(model.calls).toHaveLength(1);
  });

  it('fails a stream with its error, without unhandled rejections', async () => {
    const broken = new Error('The log is full.');
    const agent = new Agent({ model: scriptedModel(twice(), 'Done.'), tools: [double] });
    const onEvent = ({ kind }: StepEvent) => {
      if (kind === 'tool-result') throw broken;
    };

    const stream = agent.stream('Go.', { onEvent });

    await expect(stream.result).rejects.toBe(broken);
  });

  it('aborts executing tools when it throws', async () => {
    const broken = new Error('The log is full.');
    const ends: string[] = [];
    const slow = tool({
      name: 'slow',
      async execute(_args, { signal }: RunContext) {
        for (let waited = 0; !signal.aborted && waited < 20; waited++) await aWhile();
        ends.push(signal.aborted ? 'aborted' : 'finished');
      },
    });
    const model = scriptedModel(responds(calls('slow'), calls('double', { n: 1 })));
    const onEvent = ({ kind }: StepEvent) => {
      if (kind === 'tool-result') throw broken;
    };

    const running = new Agent({ model, tools: [slow, double] }).run('Go.', { onEvent });

    await expect(running).rejects.toBe(broken);
    await aWhile();
    expect(ends).toEqual(['aborted']);
  });
});
