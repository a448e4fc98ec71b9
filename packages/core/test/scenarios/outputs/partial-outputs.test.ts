import {
  Agent,
  ModelRetry,
  nativeOutput,
  outputFunction,
  type RunContext,
  textOutput,
  tool,
} from 'holdpoint';
import type { ModelStreamEvent } from 'holdpoint/models';
import { calls, functionModel, responds, says, scriptedModel, thinks } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const Person = z.object({ name: z.string(), age: z.number() });
const ada = { name: 'Ada', age: 36 };
const adaChunks = ['{"na', 'me":"A', 'da","age"', ':3', '6', '}'];
const callsWithAda = () => calls('final_result', ada, { argsChunks: adaChunks });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe('partial outputs', () => {
  it('show an object as it grows, and finally the complete object', async () => {
    const agent = new Agent({ model: scriptedModel(callsWithAda()), output: Person });

    const outputs = await collect(agent.stream('Who?').partialOutputs);

    expect(outputs).toEqual([
      {},
      { name: 'A' },
      { name: 'Ada' },
      { name: 'Ada' },
      { name: 'Ada' },
      ada,
      ada,
    ]);
  });

  it('show a list that is sent under an outer key', async () => {
    const chunks = ['{"val', 'ue":[', '"re', 'd","blu', 'e"]}'];
    const call = calls('final_result', { value: ['red', 'blue'] }, { argsChunks: chunks });
    const agent = new Agent({ model: scriptedModel(call), output: z.array(z.string()) });

    const outputs = await collect(agent.stream('Which colours?').partialOutputs);

    expect(outputs).toEqual([[], ['re'], ['red', 'blu'], ['red', 'blue'], ['red', 'blue']]);
  });

  it('show text as it grows', async () => {
    const response = says('Hello, you.', { chunks: ['Hello', ', ', 'you.'] });
    const agent = new Agent({ model: scriptedModel(responds(thinks('Hm.'), response)) });

    const outputs = await collect(agent.stream('Hi').partialOutputs);

    expect(outputs).toEqual(['Hello', 'Hello, ', 'Hello, you.', 'Hello, you.']);
  });

  it('show the complete text of several parts', async () => {
    const model = scriptedModel(responds('Hello', thinks('Who is it?'), ', you.'));

    const outputs = await collect(new Agent({ model }).stream('Hi').partialOutputs);

    expect(outputs).toEqual(['Hello', 'Hello, you.', 'Hello, you.']);
  });

  it('show JSON text of a native output', async () => {
    const response = says(JSON.stringify(ada), { chunks: adaChunks });
    const agent = new Agent({ model: scriptedModel(response), output: nativeOutput(Person) });

    const outputs = await collect(agent.stream('Who?').partialOutputs);

    expect(outputs.slice(0, 3)).toEqual([{}, { name: 'A' }, { name: 'Ada' }]);
    expect(outputs.at(-1)).toEqual(ada);
  });

  it('show the output that the model selected', async () => {
    const City = z.object({ city: z.string() }).meta({ title: 'City' });
    const call = calls(
      'final_result_City',
      { city: 'Rome' },
      { argsChunks: ['{"city":"Ro', 'me"}'] },
    );
    const agent = new Agent({ model: scriptedModel(call), output: [City, Person] });

    const outputs = await collect(agent.stream('Where?').partialOutputs);

    expect(outputs).toEqual([{ city: 'Ro' }, { city: 'Rome' }, { city: 'Rome' }]);
  });

  it('start again when the model has to try again', async () => {
    const model = scriptedModel(calls('final_result', { name: 'Bob' }), callsWithAda());
    const agent = new Agent({ model, output: Person });

    const outputs = await collect(agent.stream('Who?').partialOutputs);

    expect(outputs.slice(0, 3)).toEqual([{ name: 'Bob' }, {}, { name: 'A' }]);
    expect(outputs.at(-1)).toEqual(ada);
  });

  it('omit the arguments of function tools', async () => {
    const lookUp = tool({ name: 'look_up', inputSchema: Person.partial(), execute: () => 'Ada' });
    const model = scriptedModel(calls('look_up', { name: 'A' }), callsWithAda());
    const agent = new Agent({ model, tools: [lookUp], output: Person });

    const [first] = await collect(agent.stream('Who?').partialOutputs);

    expect(first).toEqual({});
  });

  it('show a call whose arguments come only after its start', async () => {
    const call = {
      kind: 'tool-call',
      toolName: 'final_result',
      toolCallId: 'c',
      args: null,
    } as const;
    const model = functionModel(() => 'not streamed', {
      async *stream(): AsyncGenerator<ModelStreamEvent> {
        yield { kind: 'part-start', index: 0, part: call };
        yield { kind: 'args-delta', index: 0, text: '{"name":"Ada",' };
        yield { kind: 'args-delta', index: 0, text: '"age":36}' };
      },
    });

    const outputs = await collect(
      new Agent({ model, output: Person }).stream('Who?').partialOutputs,
    );

    expect(outputs).toContainEqual({ name: 'Ada' });
    expect(outputs.at(-1)).toEqual(ada);
  });
});

describe('output functions and validators', () => {
  it('can distinguish partial outputs, and receive the complete output once', async () => {
    const seen: [unknown, boolean][] = [];
    const agent = new Agent({
      model: scriptedModel(callsWithAda()),
      output: Person,
      outputValidators: [
        (person, ctx: RunContext) => {
          seen.push([person, ctx.partialOutput]);
          return person;
        },
      ],
    });

    await collect(agent.stream('Who?').partialOutputs);

    expect(seen.slice(0, -1).every(([, partial]) => partial)).toBe(true);
    expect(seen.at(-1)).toEqual([ada, false]);
    expect(seen.filter(([, partial]) => !partial)).toHaveLength(1);
  });

  it('receive no partial output if the caller does not request partial outputs', async () => {
    const partial: boolean[] = [];
    const model = scriptedModel(says('Hello.', { chunks: ['Hel', 'lo.'] }));
    const length = textOutput((text, ctx) => {
      partial.push(ctx.partialOutput);
      return text.length;
    });

    await new Agent({ model, output: length }).stream('Hi').result;

    expect(partial).toEqual([false]);
  });

  it('change partial outputs as well', async () => {
    const response = says('hello', { chunks: ['hel', 'lo'] });
    const shout = textOutput(async (text) => text.toUpperCase());
    const agent = new Agent({
      model: scriptedModel(response),
      output: shout,
      outputValidators: [(text) => `${text}!`],
    });

    expect(await collect(agent.stream('Hi').partialOutputs)).toEqual(['HEL!', 'HELLO!', 'HELLO!']);
  });

  it('leave out a partial output by sending it back, without any retry', async () => {
    const model = scriptedModel(callsWithAda());
    const greeting = outputFunction({
      inputSchema: Person,
      execute(person: Partial<z.infer<typeof Person>>) {
        if (person.age === undefined) throw new ModelRetry('How old?');
        return `${person.name} is ${person.age}.`;
      },
    });
    const agent = new Agent({ model, output: greeting, retries: 0 });

    const outputs = await collect(agent.stream('Who?').partialOutputs);

    expect(outputs).toEqual(['Ada is 36.', 'Ada is 36.']);
    expect(model.calls).toHaveLength(1);
  });

  it('may throw on incomplete data without ending the run', async () => {
    const initial = outputFunction({
      inputSchema: Person,
      execute: (person) => person.name.charAt(0),
    });
    const agent = new Agent({ model: scriptedModel(callsWithAda()), output: initial });

    const outputs = await collect(agent.stream('Who?').partialOutputs);

    expect(outputs.at(-1)).toBe('A');
  });
});
