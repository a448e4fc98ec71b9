import { Agent, ModelRetry, outputFunction, tool, toolOutput } from 'holdpoint';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import {
  Answer,
  answers,
  issue,
  LATER_OUTPUT,
  makeAgent,
  matching,
  RETRIES_FIRST,
  TAKEN,
  told,
  work,
  wrong,
} from './end-strategy-agent.ts';

describe('the exhaustive strategy', () => {
  it('runs everything; the first valid output in the order of the calls wins', async () => {
    const { agent, log } = makeAgent(
      'exhaustive',
      responds(wrong('a'), work('it', 'b'), answers('one', 'c'), answers('two', 'd')),
    );

    const result = await agent.run('Go.', { retries: { output: 1 } });

    expect(result.output).toEqual({ answer: 'one' });
    expect(log).toEqual(['it']);
    expect(told(result, 1)).toEqual([
      ['a', issue],
      ['b', 'it done'],
      ['c', matching(TAKEN)],
      ['d', matching(LATER_OUTPUT)],
    ]);
  });

  it('does not fail for an output without retries left where another is valid', async () => {
    const { agent } = makeAgent(
      'exhaustive',
      responds(wrong('a'), calls('check', { answer: 'no' }, { id: 'b' }), answers('yes', 'c')),
    );
    const check = outputFunction({
      name: 'check',
      inputSchema: Answer,
      execute(): { answer: string } {
        throw new ModelRetry('Never.');
      },
    });

    const result = await agent.run('Go.', {
      output: [toolOutput(Answer, { name: 'final_result' }), check],
      retries: 0,
    });

    expect(result.output).toEqual({ answer: 'yes' });
    expect(told(result, 1)).toEqual([
      ['a', matching(/did not pass validation/)],
      ['b', matching(/its function failed/)],
      ['c', matching(TAKEN)],
    ]);
  });

  it('continues if a tool next to the output requires a retry', async () => {
    const { agent } = makeAgent(
      'exhaustive',
      responds(calls('picky', {}, { id: 'a' }), answers('too early', 'b')),
      answers('in time', 'c'),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ answer: 'in time' });
    expect(told(result, 1)).toEqual([
      ['a', 'Not like that.'],
      ['b', matching(RETRIES_FIRST)],
    ]);
  });

  it('runs a sequential output alone', async () => {
    const log: string[] = [];
    const takesTime = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`${name} ends`);
      return name;
    };
    const slow = tool({ name: 'slow', execute: takesTime('tool') });
    const output = outputFunction({
      inputSchema: Answer,
      sequential: true,
      execute: takesTime('output'),
    });
    const agent = new Agent({
      model: scriptedModel(responds(calls('slow'), answers('yes', 'a'))),
      tools: [slow],
      output,
      endStrategy: 'exhaustive',
    });

    await agent.run('Go.');

    expect(log).toEqual(['tool begins', 'tool ends', 'output begins', 'output ends']);
  });
});
