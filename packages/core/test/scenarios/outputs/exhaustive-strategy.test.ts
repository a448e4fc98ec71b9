import { Agent, ModelRetry, outputFunction, tool, toolOutput } from 'holdpoint';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import {
  FinalOutput,
  finalOutput,
  issue,
  LATER_OUTPUT,
  makeAgent,
  matching,
  RETRIES_FIRST,
  TAKEN,
  resultsAt,
  work,
  wrong,
} from './end-strategy-agent.ts';

describe('the exhaustive strategy', () => {
  it('executes all calls; the first valid output in call order wins', async () => {
    const { agent, log } = makeAgent(
      'exhaustive',
      responds(wrong('a'), work('it', 'b'), finalOutput('one', 'c'), finalOutput('two', 'd')),
    );

    const result = await agent.run('Go.', { retries: { output: 1 } });

    expect(result.output).toEqual({ value: 'one' });
    expect(log).toEqual(['it']);
    expect(resultsAt(result, 1)).toEqual([
      ['a', issue],
      ['b', 'it done'],
      ['c', matching(TAKEN)],
      ['d', matching(LATER_OUTPUT)],
    ]);
  });

  it('emits ordered events of calls and outputs in call order', async () => {
    const { agent } = makeAgent(
      'exhaustive',
      responds(finalOutput('one', 'a'), work('it', 'b'), finalOutput('two', 'c'), work('on', 'd')),
    );
    const results: unknown[] = [];

    await agent.run('Go.', {
      parallelMode: 'parallel-ordered-events',
      onEvent(event) {
        if (event.kind === 'tool-result') results.push(event.part.toolCallId);
        if (event.kind === 'output-tool-result') results.push(event.part.toolCallId);
      },
    });

    expect(results).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not fail for an output without retries if another output is valid', async () => {
    const { agent } = makeAgent(
      'exhaustive',
      responds(wrong('a'), calls('check', { value: 'no' }, { id: 'b' }), finalOutput('yes', 'c')),
    );
    const check = outputFunction({
      name: 'check',
      inputSchema: FinalOutput,
      execute(): { value: string } {
        throw new ModelRetry('Never.');
      },
    });

    const result = await agent.run('Go.', {
      output: [toolOutput(FinalOutput, { name: 'final_result' }), check],
      retries: 0,
    });

    expect(result.output).toEqual({ value: 'yes' });
    expect(resultsAt(result, 1)).toEqual([
      ['a', matching(/because it is invalid/)],
      ['b', matching(/its function failed/)],
      ['c', matching(TAKEN)],
    ]);
  });

  it('continues if a tool next to the output requires a retry', async () => {
    const { agent } = makeAgent(
      'exhaustive',
      responds(calls('picky', {}, { id: 'a' }), finalOutput('too early', 'b')),
      finalOutput('in time', 'c'),
    );

    const result = await agent.run('Go.');

    expect(result.output).toEqual({ value: 'in time' });
    expect(resultsAt(result, 1)).toEqual([
      ['a', 'Not like that.'],
      ['b', matching(RETRIES_FIRST)],
    ]);
  });

  it('executes a sequential output alone', async () => {
    const log: string[] = [];
    const takesTime = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`${name} ends`);
      return name;
    };
    const slow = tool({ name: 'slow', execute: takesTime('tool') });
    const output = outputFunction({
      inputSchema: FinalOutput,
      sequential: true,
      execute: takesTime('output'),
    });
    const agent = new Agent({
      model: scriptedModel(responds(calls('slow'), finalOutput('yes', 'a'))),
      tools: [slow],
      output,
      endStrategy: 'exhaustive',
    });

    await agent.run('Go.');

    expect(log).toEqual(['tool begins', 'tool ends', 'output begins', 'output ends']);
  });
});
