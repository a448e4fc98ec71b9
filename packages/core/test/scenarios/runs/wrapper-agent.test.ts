import { Agent, type RunContext, tool, WrapperAgent } from 'holdpoint';
import { calls, functionModel, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = tool({ name: 'root', execute: (_args, ctx: RunContext<string>) => ctx.deps });
const script = () => scriptedModel(calls('root'), 'Done.');

describe('a wrapper agent', () => {
  it('runs the wrapped agent with all options', async () => {
    const wrapped = new Agent({ name: 'clerk', model: script(), tools: [root] });
    const agent = new WrapperAgent(wrapped);

    const result = await agent.run('Go.', { deps: '/drafts', runId: 'run-7', metadata: { a: 1 } });

    expect(agent.name).toBe('clerk');
    expect(agent.wrapped).toBe(wrapped);
    expect(result).toMatchObject({ output: 'Done.', runId: 'run-7' });
    expect(result.messages[2]?.parts).toMatchObject([{ content: '/drafts' }]);
  });

  it('passes on the output of the run', async () => {
    const model = scriptedModel(calls('final_result', { n: 1 }));
    const agent = new WrapperAgent(new Agent({ model }));

    const result = await agent.run('Go.', { output: z.object({ n: z.number() }) });

    expect(result.output.n).toBe(1);
  });

  it('streams and iterates', async () => {
    const agent = new WrapperAgent(new Agent({ tools: [root] }));
    const options = () => ({ deps: '/drafts', model: script() });
    const events: string[] = [];
    const steps: string[] = [];

    for await (const event of agent.stream('Go.', options())) events.push(event.kind);
    for await (const step of agent.iter('Go.', options())) steps.push(step.kind);

    expect(events.at(-1)).toBe('run-result');
    expect(steps.at(-1)).toBe('finished');
  });

  it('overrides the wrapped agent, also through an outer wrapper', async () => {
    const wrapped = new Agent({ model: functionModel(() => 'the real one') });
    const agent = new WrapperAgent(new WrapperAgent(wrapped));

    const outputs = await agent.override({ model: functionModel(() => 'a stand-in') }, async () => [
      (await agent.run('Hi')).output,
      (await wrapped.run('Hi')).output,
    ]);

    expect(outputs).toEqual(['a stand-in', 'a stand-in']);
    expect((await agent.run('Hi')).output).toBe('the real one');
  });

  it('can change options of every run', async () => {
    class Polite extends WrapperAgent {
      override run: WrapperAgent['run'] = (prompt, ...options) =>
        super.run(`${String(prompt)}, please`, ...options);
    }
    const model = scriptedModel(says('Sure.'));

    await new Polite(new Agent({ model })).run('Go');

    expect(model.calls[0]?.messages[0]?.parts).toMatchObject([{ content: 'Go, please' }]);
  });
});
