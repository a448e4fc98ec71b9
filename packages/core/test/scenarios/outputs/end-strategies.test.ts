import { nativeOutput } from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import {
  Answer,
  answers,
  issue,
  makeAgent,
  matching,
  OUTPUT_NOT_USED,
  RETRIES_FIRST,
  TAKEN,
  TOOL_NOT_RUN,
  told,
  work,
  wrong,
} from './end-strategy-agent.ts';

describe('the graceful strategy', () => {
  it('is the default: tools next to an output execute, before and after it', async () => {
    const { agent, log } = makeAgent(
      undefined,
      responds(work('before', 'a'), answers('yes', 'b'), work('after', 'c')),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ answer: 'yes' });
    expect(log).toEqual(['before', 'after']);
    expect(told(result, 1)).toEqual([
      ['a', 'before done'],
      ['b', matching(TAKEN)],
      ['c', 'after done'],
    ]);
  });

  it('takes the first valid output and leaves the later ones', async () => {
    const { agent } = makeAgent(
      'graceful',
      responds(wrong('a'), answers('one', 'b'), answers('two', 'c')),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ answer: 'one' });
    expect(told(result, 1)).toEqual([
      ['a', issue],
      ['b', matching(TAKEN)],
      ['c', matching(OUTPUT_NOT_USED)],
    ]);
  });

  it('continues if a tool next to the output requires a retry', async () => {
    const { agent, model } = makeAgent(
      'graceful',
      responds(answers('too early', 'a'), calls('picky', {}, { id: 'b' })),
      answers('in time', 'c'),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ answer: 'in time' });
    expect(model.calls).toHaveLength(2);
    expect(told(result, 1)).toEqual([
      ['a', matching(RETRIES_FIRST)],
      ['b', 'Not like that.'],
    ]);
  });

  it('does not continue for an unknown tool', async () => {
    const { agent } = makeAgent(
      'graceful',
      responds(answers('yes', 'a'), calls('nope', {}, { id: 'b' })),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ answer: 'yes' });
    expect(told(result, 1)).toEqual([
      ['a', matching(TAKEN)],
      ['b', matching(/no tool 'nope'/)],
    ]);
  });

  it('executes tools next to native JSON text, which is then no output', async () => {
    const { agent, log } = makeAgent(
      'graceful',
      responds('{"answer":"early"}', work('it', 'a')),
      says('{"answer":"late"}'),
    );

    const result = await agent.run('Go.', { output: nativeOutput(Answer) });

    expect(result.output).toEqual({ answer: 'late' });
    expect(log).toEqual(['it']);
  });
});

describe('the early strategy', () => {
  it('processes outputs first, and executes no tools after the first output', async () => {
    const { agent, log } = makeAgent(
      'early',
      responds(work('before', 'a'), answers('one', 'b'), answers('two', 'c'), work('after', 'd')),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ answer: 'one' });
    expect(log).toEqual([]);
    expect(told(result, 1)).toEqual([
      ['b', matching(TAKEN)],
      ['c', matching(OUTPUT_NOT_USED)],
      ['a', matching(TOOL_NOT_RUN)],
      ['d', matching(TOOL_NOT_RUN)],
    ]);
    expect(result.usage.toolCalls).toBe(0);
  });

  it('runs the tools when no output is valid', async () => {
    const { agent, log } = makeAgent(
      'early',
      responds(work('it', 'a'), wrong('b')),
      answers('yes', 'c'),
    );

    const result = await agent.run('Go.');

    expect(log).toEqual(['it']);
    expect(told(result, 1)).toEqual([
      ['b', issue],
      ['a', 'it done'],
    ]);
  });

  it('ends although a tool next to the output would require a retry', async () => {
    const { agent } = makeAgent('early', responds(calls('picky'), answers('yes', 'a')));

    expect((await agent.run('Go.')).output).toEqual({ answer: 'yes' });
  });

  it('uses native JSON text next to tools as the output, if it is valid', async () => {
    const script = (text: string) =>
      responds(text, work('it', 'a'), calls('nope', {}, { id: 'b' }));
    const { agent, log } = makeAgent(
      'early',
      script('{"answer":"yes"}'),
      script('{"answer":1}'),
      says('{"answer":"late"}'),
    );
    const output = nativeOutput(Answer);

    const valid = await agent.run('Go.', { output });
    const invalid = await agent.run('Go.', { output });

    expect(valid.output).toEqual({ answer: 'yes' });
    expect(told(valid, 1)).toEqual([
      ['a', matching(TOOL_NOT_RUN)],
      ['b', matching(TOOL_NOT_RUN)],
    ]);
    expect(invalid.output).toEqual({ answer: 'late' });
    expect(log).toEqual(['it']);
  });

  it('prefers an output call over text next to it', async () => {
    const { agent } = makeAgent('early', responds('{"answer":"text"}', answers('call', 'a')));

    const result = await agent.run('Go.', { output: [nativeOutput(Answer), Answer] });

    expect(result.output).toEqual({ answer: 'call' });
  });
});
