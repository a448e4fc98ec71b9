import { Agent, nativeOutput, tool, ToolReturn } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import {
  FinalOutput,
  finalOutput,
  issue,
  makeAgent,
  matching,
  OUTPUT_NOT_USED,
  RETRIES_FIRST,
  TAKEN,
  TOOL_NOT_RUN,
  resultsAt,
  work,
  wrong,
} from './end-strategy-agent.ts';

describe('the graceful strategy', () => {
  it('is the default: tools next to an output execute, before and after it', async () => {
    const { agent, log } = makeAgent(
      undefined,
      responds(work('before', 'a'), finalOutput('yes', 'b'), work('after', 'c')),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ value: 'yes' });
    expect(log).toEqual(['before', 'after']);
    expect(resultsAt(result, 1)).toEqual([
      ['a', 'before done'],
      ['b', matching(TAKEN)],
      ['c', 'after done'],
    ]);
  });

  it('puts the content that a tool added before the result of the next output', async () => {
    const look = tool({
      name: 'look',
      execute: () => new ToolReturn({ returnValue: 'seen', content: 'A picture.' }),
    });
    const batch = responds(
      calls('look', {}, { id: 'a' }),
      finalOutput('yes', 'b'),
      calls('look', {}, { id: 'c' }),
    );
    const agent = new Agent({ model: scriptedModel(batch), tools: [look], output: FinalOutput });

    const { messages } = await agent.run('Go.');

    expect(messages.at(-1)?.parts).toMatchObject([
      { toolCallId: 'a' },
      { kind: 'user-prompt', content: 'A picture.' },
      { toolCallId: 'b' },
      { toolCallId: 'c' },
      { kind: 'user-prompt', content: 'A picture.' },
    ]);
  });

  it('takes the first valid output and leaves the later ones', async () => {
    const { agent } = makeAgent(
      'graceful',
      responds(wrong('a'), finalOutput('one', 'b'), finalOutput('two', 'c')),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ value: 'one' });
    expect(resultsAt(result, 1)).toEqual([
      ['a', issue],
      ['b', matching(TAKEN)],
      ['c', matching(OUTPUT_NOT_USED)],
    ]);
  });

  it('continues if a tool next to the output requires a retry', async () => {
    const { agent, model } = makeAgent(
      'graceful',
      responds(finalOutput('too early', 'a'), calls('picky', {}, { id: 'b' })),
      finalOutput('in time', 'c'),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ value: 'in time' });
    expect(model.calls).toHaveLength(2);
    expect(resultsAt(result, 1)).toEqual([
      ['a', matching(RETRIES_FIRST)],
      ['b', 'Not like that.'],
    ]);
  });

  it('does not continue for an unknown tool', async () => {
    const { agent } = makeAgent(
      'graceful',
      responds(finalOutput('yes', 'a'), calls('nope', {}, { id: 'b' })),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ value: 'yes' });
    expect(resultsAt(result, 1)).toEqual([
      ['a', matching(TAKEN)],
      ['b', matching(/no tool 'nope'/)],
    ]);
  });

  it('executes tools next to native JSON text, which is then no output', async () => {
    const { agent, log } = makeAgent(
      'graceful',
      responds('{"value":"early"}', work('it', 'a')),
      says('{"value":"late"}'),
    );

    const result = await agent.run('Go.', { output: nativeOutput(FinalOutput) });

    expect(result.output).toEqual({ value: 'late' });
    expect(log).toEqual(['it']);
  });
});

describe('the early strategy', () => {
  it('processes outputs first, and executes no tools after the first output', async () => {
    const { agent, log } = makeAgent(
      'early',
      responds(
        work('before', 'a'),
        finalOutput('one', 'b'),
        finalOutput('two', 'c'),
        work('after', 'd'),
      ),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ value: 'one' });
    expect(log).toEqual([]);
    expect(resultsAt(result, 1)).toEqual([
      ['b', matching(TAKEN)],
      ['c', matching(OUTPUT_NOT_USED)],
      ['a', matching(TOOL_NOT_RUN)],
      ['d', matching(TOOL_NOT_RUN)],
    ]);
    expect(result.usage.toolCalls).toBe(0);
  });

  it('executes the tools if no output is valid', async () => {
    const { agent, log } = makeAgent(
      'early',
      responds(work('it', 'a'), wrong('b')),
      finalOutput('yes', 'c'),
    );

    const result = await agent.run('Go.');

    expect(log).toEqual(['it']);
    expect(resultsAt(result, 1)).toEqual([
      ['b', issue],
      ['a', 'it done'],
    ]);
  });

  it('ends even if a tool next to the output would require a retry', async () => {
    const { agent } = makeAgent('early', responds(calls('picky'), finalOutput('yes', 'a')));

    expect((await agent.run('Go.')).output).toEqual({ value: 'yes' });
  });

  it('uses native JSON text next to tools as the output, if it is valid', async () => {
    const script = (text: string) =>
      responds(text, work('it', 'a'), calls('nope', {}, { id: 'b' }));
    const { agent, log } = makeAgent(
      'early',
      script('{"value":"yes"}'),
      script('{"value":1}'),
      says('{"value":"late"}'),
    );
    const output = nativeOutput(FinalOutput);

    const valid = await agent.run('Go.', { output });
    const invalid = await agent.run('Go.', { output });

    expect(valid.output).toEqual({ value: 'yes' });
    expect(resultsAt(valid, 1)).toEqual([
      ['a', matching(TOOL_NOT_RUN)],
      ['b', matching(TOOL_NOT_RUN)],
    ]);
    expect(invalid.output).toEqual({ value: 'late' });
    expect(log).toEqual(['it']);
  });

  it('prefers an output call over text next to it', async () => {
    const { agent } = makeAgent('early', responds('{"value":"text"}', finalOutput('call', 'a')));

    const result = await agent.run('Go.', { output: [nativeOutput(FinalOutput), FinalOutput] });

    expect(result.output).toEqual({ value: 'call' });
  });
});
