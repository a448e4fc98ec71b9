import { Agent, type RunContext, tool } from 'holdpoint';
import { calls, fakeClock, functionModel, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

const real = () => functionModel(() => 'the real one');
const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

describe('overriding an agent', () => {
  it('replaces the model during the callback only, and not for concurrent work', async () => {
    const agent = new Agent({ model: real() });
    const other = new Agent({ model: real() });

    const inside = await agent.override({ model: scriptedModel('a stand-in') }, async () => {
      await aWhile();
      return [(await agent.run('Hi')).output, (await other.run('Hi')).output];
    });

    expect(inside).toEqual(['a stand-in', 'the real one']);
    expect((await agent.run('Hi')).output).toBe('the real one');
  });

  it('takes precedence over the model and the deps of the run', async () => {
    const who = tool({ name: 'who', execute: (_args, ctx: RunContext<string>) => ctx.deps });
    const model = scriptedModel(calls('who'), 'Done.');
    const agent = new Agent({ model: real(), tools: [who] });

    const result = await agent.override({ model, deps: 'test' }, () =>
      agent.run('Who?', { model: real(), deps: 'production' }),
    );

    expect(result.messages[2]?.parts).toMatchObject([{ kind: 'tool-return', content: 'test' }]);
  });

  it('replaces or removes its tools', async () => {
    const model = scriptedModel('Hello.', 'Hello.');
    const one = tool({ name: 'one', execute: () => 1 });
    const two = tool({ name: 'two', execute: () => 2 });
    const agent = new Agent({ model, tools: [one] });

    await agent.override({ tools: { other: two } }, () => agent.run('Hi'));
    await agent.override({ tools: [] }, () => agent.run('Hi'));

    expect(model.calls.map((call) => call.functionTools.map(({ name }) => name))).toEqual([
      ['other'],
      [],
    ]);
  });

  it('replaces or removes its instructions', async () => {
    const model = functionModel(({ instructions }) => `Told: ${instructions}`);
    const agent = new Agent({ model, instructions: 'Be brief.' });
    const receives = (instructions: string | readonly string[]) =>
      agent.override({ instructions }, async () => (await agent.run('Hi')).output);

    expect(await receives(['Be kind.', 'Be quick.'])).toBe('Told: Be kind.\nBe quick.');
    expect(await receives([])).toBe('Told: undefined');
    expect(await receives('')).toBe('Told: undefined');
  });

  it('replaces its environment', async () => {
    const agent = new Agent({ model: scriptedModel('Hello.') });

    const result = await agent.override({ environment: fakeClock() }, () => agent.run('Hi'));

    expect(result.messages[0]?.timestamp).toBe('2026-01-01T00:00:00.000Z');
  });

  it('combines with an outer override', async () => {
    const model = functionModel(({ instructions }) => `stand-in: ${instructions}`);
    const agent = new Agent({ model: real(), instructions: 'Be brief.' });

    const outputs = await agent.override({ model }, async () => {
      const inner = await agent.override({ instructions: 'Be kind.' }, () => agent.run('Hi'));
      const outer = await agent.run('Hi');
      return [inner.output, outer.output];
    });

    expect(outputs).toEqual(['stand-in: Be kind.', 'stand-in: Be brief.']);
  });

  it('keeps the values of an outer override that it does not set', async () => {
    const agent = new Agent({ model: real() });

    const result = await agent.override({ model: scriptedModel('a stand-in') }, () =>
      agent.override({ model: undefined, deps: {} }, () => agent.run('Hi')),
    );

    expect(result.output).toBe('a stand-in');
  });

  it('does not leak into concurrent work', async () => {
    const agent = new Agent({ model: real() });
    const overridden = (name: string) =>
      agent.override({ model: functionModel(() => name) }, async () => {
        await aWhile();
        const first = await agent.run('Hi');
        await aWhile();
        return [first.output, (await agent.stream('Hi').result).output];
      });

    const outputs = await Promise.all([overridden('a'), overridden('b'), agent.run('Hi')]);

    expect(outputs).toMatchObject([['a', 'a'], ['b', 'b'], { output: 'the real one' }]);
  });

  it('applies to nested runs, such as in a tool', async () => {
    const sub = new Agent({ model: real() });
    const ask = tool({ name: 'ask', execute: async () => (await sub.run('Hi')).output });
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? calls('ask') : says('Done.'),
    );
    const agent = new Agent({ model, tools: [ask] });

    const result = await sub.override({ model: scriptedModel('a stand-in') }, () =>
      agent.run('Go.'),
    );

    expect(result.messages[2]?.parts).toMatchObject([{ content: 'a stand-in' }]);
  });

  it('ends with the callback, also if it fails', async () => {
    const agent = new Agent({ model: real() });
    const failing = agent.override({ model: scriptedModel('a stand-in') }, () =>
      Promise.reject(new Error('No.')),
    );

    await expect(failing).rejects.toThrow('No.');
    expect((await agent.run('Hi')).output).toBe('the real one');
  });

  it('applies to a stream that is created inside and read outside', async () => {
    const agent = new Agent({ model: real() });

    // As in a web server, the handler returns the stream.
    const stream = await agent.override({ model: scriptedModel('a stand-in') }, async () =>
      agent.stream('Hi'),
    );

    expect((await stream.result).output).toBe('a stand-in');
  });

  it('applies to an iterator that is created inside and read outside', async () => {
    const agent = new Agent({ model: real() });

    const steps = await agent.override({ model: scriptedModel('a stand-in') }, async () => ({
      iterator: agent.iter('Hi'),
    }));
    for await (const _ of steps.iterator);

    expect(steps.iterator.result?.output).toBe('a stand-in');
  });
});
