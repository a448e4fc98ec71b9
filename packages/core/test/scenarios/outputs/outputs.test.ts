import { Agent, ModelRetry, type RunContext, textOutput, tool } from 'holdpoint';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const Person = z.object({ name: z.string() }).meta({ title: 'Person' });
const City = z.object({ city: z.string() }).meta({ title: 'City', description: 'A town.' });

describe('text', () => {
  it('is the default output', async () => {
    const model = scriptedModel(responds('Hello', ', ', 'you.'));

    const result = await new Agent({ model }).run('Hi');

    expect(result.output).toBe('Hello, you.');
    expect(model.calls[0]).toMatchObject({ allowText: true, outputTools: [] });
  });

  it('is no output if the model has to call a tool, and counts as a retry', async () => {
    const model = scriptedModel('Ada.', calls('final_result', { name: 'Ada' }));

    const result = await new Agent({ model, output: Person }).run('Who?');

    expect(result.output).toEqual({ name: 'Ada' });
    expect(model.calls[0]?.allowText).toBe(false);
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', content: expect.stringContaining('final_result') },
    ]);
  });

  it('is converted by an output function', async () => {
    const count = textOutput(async (text, ctx: RunContext<{ factor: number }>) => {
      return text.split(' ').length * ctx.deps.factor;
    });
    const agent = new Agent({ model: scriptedModel('one two three'), output: count });

    const result = await agent.run('Go.', { deps: { factor: 10 } });

    expect(result.output).toBe(30);
  });

  it('is sent back to the model if the function throws ModelRetry', async () => {
    const number = textOutput((text) => {
      if (Number.isNaN(Number(text))) throw new ModelRetry('Digits only.');
      return Number(text);
    });
    const model = scriptedModel('four', '4');

    const result = await new Agent({ model, output: number }).run('2 + 2?');

    expect(result.output).toBe(4);
    expect(model.calls[1]?.messages.at(-1)?.parts).toEqual([
      { kind: 'retry-prompt', content: 'Digits only.' },
    ]);
  });
});

describe('a schema', () => {
  it('is offered as an output tool, whose arguments are the output', async () => {
    const model = scriptedModel(calls('final_result', { city: 'Rome' }));

    const result = await new Agent({ model, output: City }).run('Where?');

    expect(result.output).toEqual({ city: 'Rome' });
    expect(model.calls[0]?.outputTools).toMatchObject([
      { name: 'final_result', kind: 'output', description: 'A town.' },
    ]);
    expect(result.messages.at(-1)?.parts).toMatchObject([
      { kind: 'tool-return', toolName: 'final_result', outcome: 'success' },
    ]);
  });

  it('sends invalid output back, and fails after the retries', async () => {
    const wrong = calls('final_result', { name: 1 });
    const model = scriptedModel(wrong, wrong, calls('final_result', { name: 'Ada' }));

    const patient = await new Agent({ model, output: Person, retries: 2 }).run('Who?');
    const impatient = new Agent({ model: scriptedModel(wrong, wrong), output: Person }).run('Who?');

    expect(patient.output).toEqual({ name: 'Ada' });
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', toolName: 'final_result', content: [{ path: ['name'], input: 1 }] },
    ]);
    await expect(impatient).rejects.toMatchObject({ code: 'unexpected-model-behavior' });
  });

  it.each([
    ['a text', z.string(), 'red'],
    ['a number', z.number(), 3],
    ['a list', z.array(z.string()), ['red', 'blue']],
    ['a union of scalars', z.union([z.string(), z.number()]), 7],
    ['a union of objects', z.union([Person, City]), { city: 'Rome' }],
    ['nothing', z.null(), null],
  ])(
    'that is %s is wrapped in a key for the model and unwrapped again',
    async (_, schema, value) => {
      const model = scriptedModel(calls('final_result', { value }));

      const result = await new Agent({ model, output: schema }).run('Go.');

      expect(result.output).toEqual(value);
      expect(model.calls[0]?.outputTools).toMatchObject([
        { parametersJsonSchema: { type: 'object', required: ['value'] }, outerKey: 'value' },
      ]);
    },
  );

  it('that is wrapped in a key but comes without it is sent back', async () => {
    const model = scriptedModel(
      calls('final_result', { colour: 'red' }),
      calls('final_result', { value: 'red' }),
    );

    const result = await new Agent({ model, output: z.string() }).run('Which colour?');

    expect(result.output).toBe('red');
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', content: [{ path: ['value'] }] },
    ]);
  });

  it('transforms the value', async () => {
    const length = z.object({ word: z.string() }).transform(({ word }) => word.length);
    const model = scriptedModel(calls('final_result', { word: 'seven' }));

    expect((await new Agent({ model, output: length }).run('Go.')).output).toBe(5);
  });
});

describe('several schemas', () => {
  const namesOf = async (output: readonly z.ZodType[]) => {
    const model = scriptedModel('Hello.');
    await new Agent({ model, output: [String, ...output] }).run('Hi');
    return model.calls[0]?.outputTools.map((definition) => definition.name);
  };

  it('are distinguished by their titles, and by numbers for equal titles', async () => {
    expect(await namesOf([Person])).toEqual(['final_result']);
    expect(await namesOf([Person, City])).toEqual(['final_result_Person', 'final_result_City']);
    expect(await namesOf([Person, Person.clone(), City])).toEqual([
      'final_result_Person',
      'final_result_Person_2',
      'final_result_City',
    ]);
    expect(await namesOf([z.object({}).meta({ title: 'My Type!' }), City])).toEqual([
      'final_result_My_Type_',
      'final_result_City',
    ]);
    expect(await namesOf([z.object({}), z.object({ a: z.string() })])).toEqual([
      'final_result_object',
      'final_result_object_2',
    ]);
  });

  it('are distinguished by their titles also if they are not objects', async () => {
    const Tags = z.array(z.string()).meta({ title: 'Tags' });

    expect(await namesOf([Tags, Person])).toEqual(['final_result_Tags', 'final_result_Person']);
    expect(await namesOf([z.string(), z.array(z.string())])).toEqual([
      'final_result_string',
      'final_result_array',
    ]);
  });

  it('keep their descriptions, also if they are not objects', async () => {
    const model = scriptedModel(calls('final_result', { value: 'x' }));

    await new Agent({ model, output: z.string().describe('A colour.') }).run('Go.');

    expect(model.calls[0]?.outputTools).toMatchObject([{ description: 'A colour.' }]);
  });

  it('leave the choice to the model', async () => {
    const model = scriptedModel(calls('final_result_City', { city: 'Rome' }), 'Just text.');
    const agent = new Agent({ model, output: [String, Person, City] });

    expect((await agent.run('Where?')).output).toEqual({ city: 'Rome' });
    expect((await agent.run('What?')).output).toBe('Just text.');
  });

  it('reject a function tool with the name of an output tool', async () => {
    const clash = tool({ name: 'final_result', execute: () => 1 });
    const agent = new Agent({ model: scriptedModel('x'), tools: [clash], output: Person });

    await expect(agent.run('Go.')).rejects.toThrow(/`final_result`.*Rename the tool/);
  });
});
