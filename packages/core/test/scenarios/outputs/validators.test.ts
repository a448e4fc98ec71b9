import { Agent, ModelRetry, outputFunction, type RunContext, toolOutput } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const Person = z.object({ name: z.string() });

describe('output validators', () => {
  it('change the output sequentially', async () => {
    const agent = new Agent({
      model: scriptedModel('a'),
      outputValidators: [
        async (text) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return `${text}b`;
        },
        (text) => `${text}c`,
      ],
    });

    expect((await agent.run('Go.')).output).toBe('abc');
  });

  it('send text back, with their reason', async () => {
    const model = scriptedModel('rude', 'polite');
    const agent = new Agent({
      model,
      outputValidators: [
        (text) => {
          if (text === 'rude') throw new ModelRetry('Be polite.');
          return text;
        },
      ],
    });

    expect((await agent.run('Go.')).output).toBe('polite');
    expect(model.calls[1]?.messages.at(-1)?.parts).toEqual([
      { kind: 'retry-prompt', content: 'Be polite.' },
    ]);
  });

  it('send the call of an output tool back, with their reason', async () => {
    const model = scriptedModel(
      calls('final_result', { name: '' }),
      calls('final_result', { name: 'Ada' }),
    );
    const agent = new Agent({
      model,
      output: Person,
      outputValidators: [
        (person) => {
          if (person.name === '') throw new ModelRetry('Everybody has a name.');
          return person;
        },
      ],
    });

    expect((await agent.run('Who?')).output).toEqual({ name: 'Ada' });
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', toolName: 'final_result', content: 'Everybody has a name.' },
    ]);
  });

  it('receive the number of output retries, for any output tool', async () => {
    const seen: unknown[] = [];
    const wrong = () => calls('person', { name: '' });
    const agent = new Agent({
      model: scriptedModel(wrong(), wrong(), wrong(), wrong()),
      output: toolOutput(Person, { name: 'person', maxRetries: 3 }),
      retries: { output: 2 },
      outputValidators: [
        (_person, { retry, maxRetries, lastAttempt }: RunContext) => {
          seen.push([retry, maxRetries, lastAttempt]);
          throw new ModelRetry('No.');
        },
      ],
    });

    await expect(agent.run('Who?')).rejects.toMatchObject({ code: 'unexpected-model-behavior' });
    expect(seen.slice(0, 3)).toEqual([
      [0, 2, false],
      [1, 2, false],
      [2, 2, true],
    ]);
  });

  it('run after the output function, which receives the retries of its own tool', async () => {
    const seen: unknown[] = [];
    const output = outputFunction({
      inputSchema: Person,
      maxRetries: 3,
      execute({ name }, { retry, maxRetries }: RunContext) {
        seen.push([retry, maxRetries]);
        return name;
      },
    });
    const agent = new Agent({
      model: scriptedModel(
        calls('final_result', { name: 'a' }),
        calls('final_result', { name: 'b' }),
      ),
      output,
      outputValidators: [
        (name) => {
          if (name === 'a') throw new ModelRetry('Not that one.');
          return name.toUpperCase();
        },
      ],
    });

    expect((await agent.run('Go.')).output).toBe('B');
    expect(seen).toEqual([
      [0, 3],
      [1, 3],
    ]);
  });

  it('end the run with the error that they throw', async () => {
    const broken = new Error('No dictionary.');
    const agent = new Agent({
      model: scriptedModel('a'),
      outputValidators: [() => Promise.reject(broken)],
    });

    await expect(agent.run('Go.')).rejects.toBe(broken);
  });
});

describe('the output of a run', () => {
  it('replaces the output of the agent', async () => {
    const model = scriptedModel(calls('final_result', { name: 'Ada' }), 'Ada.');
    const agent = new Agent({ model });

    expect((await agent.run('Who?', { output: Person })).output).toEqual({ name: 'Ada' });
    expect((await agent.run('Who?')).output).toBe('Ada.');
    expect(model.calls.map((call) => [call.allowText, call.outputTools.length])).toEqual([
      [false, 1],
      [true, 0],
    ]);
  });

  it("is not passed to validators of the agent's output", async () => {
    const seen: unknown[] = [];
    const model = scriptedModel(calls('final_result', { name: 'Ada' }));
    const agent = new Agent({
      model,
      outputValidators: [
        (text: string) => {
          seen.push(text);
          return text;
        },
      ],
    });

    await agent.run('Who?', { output: Person }).catch(() => {});

    expect(seen).toEqual([]);
  });
});
