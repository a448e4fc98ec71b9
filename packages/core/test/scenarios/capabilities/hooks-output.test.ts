import {
  Agent,
  type Capability,
  ModelRetry,
  noOutput,
  outputFunction,
  textOutput,
  UnexpectedModelBehavior,
} from 'holdpoint';
import type { CapabilityHooks } from 'holdpoint/capabilities';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentWith, capability, waysToRun } from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { never, rejectionOf, settled } from '../../support/latch.ts';

type Around = NonNullable<CapabilityHooks['wrapOutput']>;

const finishing = (wrapOutput: Around): Capability => capability({ wrapOutput });
const adding = (text: string) =>
  finishing(async (value, next) => `${await next(`${value}<${text}`)}>${text}`);

describe.each(waysToRun)('a hook around the output, with $way,', ({ go }) => {
  it('receives the value and returns the output, with the first capability outermost', async () => {
    const { agent } = agentWith([adding('1'), adding('2')], {
      script: ['Hi'],
      outputValidators: [(output) => `[${output}]`],
    });

    const result = await go(agent, { capabilities: [adding('3')] });

    expect(result.output).toBe('[Hi<1<2<3]>3>2>1');
    expect(partsOf(result.messages).at(-1)).toMatchObject({ content: 'Hi' });
  });

  it('can send the output back to the model', async () => {
    const picky = finishing(async (value, next) => {
      if (value === 'Hi.') throw new ModelRetry('More politely.');
      return next(value);
    });
    const { agent } = agentWith([picky], { script: ['Hi.', 'Good morning.'] });

    const result = await go(agent);

    expect(result.output).toBe('Good morning.');
    expect(partsOf(result.messages)[2]).toMatchObject({
      kind: 'retry-prompt',
      content: 'More politely.',
    });
  });

  it('that sends the output back too often ends the run', async () => {
    const picky = finishing(() => Promise.reject(new ModelRetry('No.')));
    const { agent } = agentWith([picky], { script: ['One.', 'Two.'] });

    expect(await rejectionOf(go(agent))).toBeInstanceOf(UnexpectedModelBehavior);
  });

  it('can return an output without calling next', async () => {
    const validated: unknown[] = [];
    const { agent } = agentWith([finishing(async () => 'Instead.')], {
      outputValidators: [
        (output) => {
          validated.push(output);
          return output;
        },
      ],
    });

    expect((await go(agent)).output).toBe('Instead.');
    expect(validated).toEqual([]);
  });

  it('can recover from the error of a validator', async () => {
    const forgiving = finishing((value, next) => next(value).catch(() => 'Good enough.'));
    const { agent } = agentWith([forgiving], {
      outputValidators: [
        () => {
          throw new ModelRetry('No.');
        },
      ],
    });

    expect((await go(agent)).output).toBe('Good enough.');
  });

  it('fails the run with another error', async () => {
    const broken = new Error('The form is lost.');
    const { agent } = agentWith([finishing(() => Promise.reject(broken))]);

    expect(await rejectionOf(go(agent))).toBe(broken);
  });

  it('is not called if the run parks', async () => {
    const seen: unknown[] = [];
    const looking = finishing(async (value, next) => {
      seen.push(value);
      return next(value);
    });
    const { agent } = agentWith([looking], {
      tools: [workshop().remove],
      script: [calls('remove', { path: 'a' })],
    });

    await expectParked(go(agent));

    expect(seen).toEqual([]);
  });
});

describe('a hook around outputs of other forms', () => {
  const seeing = (seen: unknown[]) =>
    finishing(async (value, next, ctx) => {
      const output = await next(value);
      seen.push({ value, output, toolName: ctx.toolName });
      return output;
    });

  it('receives the value that the schema of an output tool accepted', async () => {
    const seen: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel(calls('final_result', { n: '2' })),
      output: z.object({ n: z.coerce.number() }),
      capabilities: [seeing(seen)],
    });

    const { output } = await agent.run('Go.');

    expect(output).toEqual({ n: 2 });
    expect(seen).toEqual([{ value: { n: 2 }, output: { n: 2 }, toolName: 'final_result' }]);
  });

  it('wraps an output function', async () => {
    const seen: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel(calls('final_result', { n: 2 })),
      output: outputFunction({
        inputSchema: z.object({ n: z.number() }),
        execute: ({ n }) => n * 2,
      }),
      capabilities: [seeing(seen)],
    });

    await agent.run('Go.');

    expect(seen).toMatchObject([{ value: { n: 2 }, output: 4 }]);
  });

  it('wraps a function for text', async () => {
    const seen: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel('four'),
      output: textOutput((text) => text.length),
      capabilities: [seeing(seen)],
    });

    await agent.run('Go.');

    expect(seen).toMatchObject([{ value: 'four', output: 4 }]);
  });

  it('is not called for an invalid value', async () => {
    const seen: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel(calls('final_result', { n: 'x' }), calls('final_result', { n: 1 })),
      output: z.object({ n: z.number() }),
      capabilities: [seeing(seen)],
    });

    await agent.run('Go.');

    expect(seen).toHaveLength(1);
  });

  it('receives null if there is no output', async () => {
    const seen: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel(responds()),
      output: [String, noOutput],
      capabilities: [seeing(seen)],
    });

    expect((await agent.run('Go.')).output).toBeNull();
    expect(seen).toEqual([{ value: null, output: null, toolName: undefined }]);
  });

  it('is not awaited after the run was aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('Stop.');
    const { agent } = agentWith([finishing(never)]);

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
  });
});

describe('a hook around a streamed output', () => {
  const words = says('one two three', { chunks: ['one ', 'two ', 'three'] });
  const outputsOf = async (capabilities: readonly Capability[]) => {
    const outputs: unknown[] = [];
    const { agent } = agentWith(capabilities, { script: [words] });
    for await (const output of agent.stream('Go.').partialOutputs) outputs.push(output);
    return outputs;
  };

  it('changes partial outputs as well, and can distinguish them', async () => {
    const partial: boolean[] = [];
    const shouting = finishing(async (value, next, ctx) => {
      partial.push(ctx.partialOutput);
      return String(await next(value)).toUpperCase();
    });

    const outputs = await outputsOf([shouting]);

    expect(outputs).toEqual(['ONE ', 'ONE TWO ', 'ONE TWO THREE', 'ONE TWO THREE']);
    expect(partial).toEqual([true, true, true, false]);
  });

  it('leaves out rejected partial outputs', async () => {
    const patient = finishing(async (value, next, ctx) => {
      if (ctx.partialOutput && !String(value).includes('two')) throw new ModelRetry('Too little.');
      return next(value);
    });

    expect(await outputsOf([patient])).toEqual(['one two ', 'one two three', 'one two three']);
  });

  it('may fail on partial outputs without an error', async () => {
    const fragile = finishing(async (value, next, ctx) => {
      if (ctx.partialOutput) throw new TypeError('Not yet.');
      return next(value);
    });

    expect(await outputsOf([fragile])).toEqual(['one two three']);
  });
});
