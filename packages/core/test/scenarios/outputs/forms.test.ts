import {
  Agent,
  nativeOutput,
  noOutput,
  outputFunction,
  type RunContext,
  toolOutput,
  UnexpectedModelBehavior,
} from 'holdpoint';
import type { FinishReason } from 'holdpoint/messages';
import { calls, functionModel, responds, says, scriptedModel, thinks } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rejectionOf } from '../../support/latch.ts';

const Person = z.object({ name: z.string() }).meta({ title: 'Person' });
const City = z.object({ city: z.string() });

describe('toolOutput', () => {
  it('defines the output tool, and its maximum of retries', async () => {
    const wrong = calls('person', { name: 1 });
    const model = scriptedModel(wrong, wrong, calls('person', { name: 'Ada' }));
    const output = toolOutput(Person, {
      name: 'person',
      description: 'Give a person.',
      strict: true,
      maxRetries: 2,
    });

    const result = await new Agent({ model, output, retries: 0 }).run('Who?');

    expect(result.output).toEqual({ name: 'Ada' });
    expect(model.calls[0]?.outputTools).toMatchObject([
      { name: 'person', description: 'Give a person.', strict: true },
    ]);
  });
});

describe('an empty response', () => {
  it('is the output if noOutput is declared', async () => {
    const agent = new Agent({
      model: scriptedModel(responds(thinks('Hm.')), responds()),
      output: [String, noOutput],
    });

    expect((await agent.run('Go.')).output).toBeNull();
    expect((await agent.run('Go.')).output).toBeNull();
  });

  it('is retried if it is not a declared output', async () => {
    const model = scriptedModel(responds(), says('Yes.'));

    expect((await new Agent({ model }).run('Go.')).output).toBe('Yes.');
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([{ kind: 'retry-prompt' }]);
  });

  it.each<[FinishReason, string]>([
    ['length', 'token limit'],
    ['content_filter', 'filtered'],
  ])(
    'ends the run if the reason is %s, because the next one would be empty as well',
    async (reason, text) => {
      const model = functionModel(() => ({ parts: [], finishReason: reason }));

      const error = await rejectionOf(new Agent({ model }).run('Go.'));

      expect(error).toBeInstanceOf(UnexpectedModelBehavior);
      expect(String(error)).toContain(text);
    },
  );

  it('is explained to a model that sends text without need', async () => {
    const model = scriptedModel('Well…', responds());

    expect((await new Agent({ model, output: noOutput }).run('Go.')).output).toBeNull();
    const [retry] = model.calls[1]?.messages.at(-1)?.parts ?? [];
    expect(retry).toMatchObject({
      kind: 'retry-prompt',
      content: expect.not.stringContaining('Please .'),
    });
  });
});

describe('native output', () => {
  it('is JSON text that matches the schema', async () => {
    const model = scriptedModel('{"name":"Ada"}');

    const result = await new Agent({ model, output: nativeOutput(Person, { strict: true }) }).run(
      'Who?',
    );

    expect(result.output).toEqual({ name: 'Ada' });
    expect(model.calls[0]).toMatchObject({
      allowText: true,
      outputTools: [],
      outputSchema: { name: 'Person', strict: true, schema: { type: 'object' } },
    });
  });

  it('selects one of several schemas by a key', async () => {
    const model = scriptedModel(
      '{"value":{"city":"Rome"}}',
      '{"city":"Rome"}',
      '{"value":{"name":"Ada"}}',
    );
    const agent = new Agent({ model, output: nativeOutput([Person, City]) });

    expect((await agent.run('Where?')).output).toEqual({ city: 'Rome' });
    expect((await agent.run('Who?')).output).toEqual({ name: 'Ada' });
    expect(model.calls).toHaveLength(3);
  });

  it('sends text that is no JSON back to the model', async () => {
    const model = scriptedModel('Ada.', '{"name":"Ada"}');

    expect((await new Agent({ model, output: nativeOutput(Person) }).run('Who?')).output).toEqual({
      name: 'Ada',
    });
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      {
        kind: 'retry-prompt',
        content: [{ message: expect.stringContaining('JSON'), input: 'Ada.' }],
      },
    ]);
  });
});

describe('an output function', () => {
  it("computes the output from the model's arguments, with the context of its call", async () => {
    const lookUp = outputFunction({
      name: 'look_up',
      inputSchema: Person,
      execute: async ({ name }, ctx: RunContext<{ ages: Record<string, number> }>) => ({
        age: ctx.deps.ages[name],
        by: ctx.toolName,
        id: ctx.toolCallId,
      }),
    });
    const agent = new Agent({
      model: scriptedModel(calls('look_up', { name: 'Ada' })),
      output: lookUp,
    });

    const { output } = await agent.run('How old?', { deps: { ages: { Ada: 36 } } });

    expect(output).toEqual({ age: 36, by: 'look_up', id: 'call-1' });
  });

  it('ends the run with the error that it throws', async () => {
    const broken = new Error('No such table.');
    const output = outputFunction({ inputSchema: Person, execute: () => Promise.reject(broken) });
    const agent = new Agent({
      model: scriptedModel(calls('final_result', { name: 'Ada' })),
      output,
    });

    await expect(agent.run('Go.')).rejects.toBe(broken);
  });
});
