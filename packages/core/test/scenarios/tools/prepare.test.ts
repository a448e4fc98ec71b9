import { Agent, captureRunMessages, type RunContext, tool, type ToolDefinition } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const always = tool({ name: 'always', execute: () => 'here' });
const offered = (definitions: readonly ToolDefinition[] | undefined) =>
  definitions?.map(({ name }) => name);

describe('preparing a tool', () => {
  it('hides it from a step', async () => {
    const late = tool({
      name: 'late',
      prepare: (ctx, definition) => (ctx.runStep > 1 ? definition : undefined),
      execute: () => 'now',
    });
    const model = scriptedModel(calls('always'), calls('late'), 'Done.');

    const result = await new Agent({ model, tools: [late, always] }).run('Go.');

    expect(model.calls.map((call) => offered(call.functionTools))).toEqual([
      ['always'],
      ['late', 'always'],
      ['late', 'always'],
    ]);
    expect(result.messages[4]?.parts).toMatchObject([{ kind: 'tool-return', content: 'now' }]);
  });

  it('precedes the instructions and the history processors of its step', async () => {
    const order: string[] = [];
    const watched = tool({
      name: 'watched',
      prepare({ messages }, definition) {
        order.push(`prepare with ${messages.length}`);
        return definition;
      },
      execute: () => 'done',
    });
    const agent = new Agent({
      model: scriptedModel('Done.'),
      tools: [watched],
      instructions({ messages }) {
        order.push(`instructions with ${messages.length}`);
        return 'Be brief.';
      },
      historyProcessors: [
        (messages) => {
          order.push(`processor with ${messages.length}`);
          return messages;
        },
      ],
    });

    const result = await agent.run('Go.');

    expect(order).toEqual(['prepare with 1', 'instructions with 1', 'processor with 1']);
    expect(result.messages[0]).toMatchObject({ instructions: 'Be brief.' });
  });

  it('leaves a request without instructions if it fails', async () => {
    const broken = tool({
      name: 'broken',
      prepare: () => Promise.reject(new Error('No access.')),
      execute: () => 'done',
    });
    const model = scriptedModel('Done.');
    const agent = new Agent({ model, tools: [broken], instructions: 'Be brief.' });

    const captured = await captureRunMessages(() => agent.run('Go.'));

    expect(captured).toMatchObject({ reason: { message: 'No access.' } });
    expect(captured.messages).toMatchObject([{ parts: [{ content: 'Go.' }] }]);
    expect(captured.messages[0]).not.toHaveProperty('instructions');
  });

  it('makes a hidden tool unknown to the model', async () => {
    let ran = false;
    const hidden = tool({
      name: 'hidden',
      prepare: async () => undefined,
      execute() {
        ran = true;
      },
    });
    const model = scriptedModel(calls('hidden'), 'Sorry.');

    const result = await new Agent({ model, tools: [hidden, always] }).run('Go.');

    expect(ran).toBe(false);
    expect(result.messages[2]?.parts).toMatchObject([
      { kind: 'retry-prompt', toolName: 'hidden', content: expect.stringContaining("'always'") },
    ]);
  });

  it('renames it', async () => {
    const greet = tool({
      name: 'greet',
      prepare: (ctx: RunContext<string>, definition) => ({
        ...definition,
        name: `greet_${ctx.deps}`,
        description: `Greets ${ctx.deps}.`,
      }),
      execute: (_args, ctx) => ctx.toolName,
    });
    const model = scriptedModel(calls('greet_ada'), 'Done.');

    const result = await new Agent({ model, tools: [greet] }).run('Go.', { deps: 'ada' });

    expect(model.calls[0]?.functionTools).toMatchObject([
      { name: 'greet_ada', description: 'Greets ada.' },
    ]);
    expect(result.messages[2]?.parts).toMatchObject([
      { toolName: 'greet_ada', content: 'greet_ada' },
    ]);
  });

  it('rejects a name that another tool has', async () => {
    const copy = tool({
      name: 'copy',
      prepare: (_ctx, definition) => ({ ...definition, name: 'always' }),
      execute: () => 1,
    });
    const agent = new Agent({ model: scriptedModel('x'), tools: [always, copy] });

    await expect(agent.run('Go.')).rejects.toThrow(/`copy`.*`always`/);
  });

  it('changes the definition for the model step by step, without an effect on other runs', async () => {
    const count = tool({
      name: 'count',
      description: 'Counts.',
      inputSchema: z.object({ to: z.number() }),
      prepare: ({ runStep }, definition) => ({ ...definition, description: `Step ${runStep}.` }),
      execute: ({ to }) => to,
    });
    const model = scriptedModel(calls('count', { to: 3 }), 'Done.', 'Done.');
    const agent = new Agent({ model, tools: [count] });

    await agent.run('Go.');
    await agent.run('Go.');

    expect(model.calls.map((call) => call.functionTools[0]?.description)).toEqual([
      'Step 1.',
      'Step 2.',
      'Step 1.',
    ]);
  });

  it('ends the run with the error that it throws', async () => {
    const broken = new Error('No rights.');
    const tools = { locked: tool({ prepare: () => Promise.reject(broken), execute: () => 1 }) };

    await expect(new Agent({ model: scriptedModel('x'), tools }).run('Go.')).rejects.toBe(broken);
  });
});
