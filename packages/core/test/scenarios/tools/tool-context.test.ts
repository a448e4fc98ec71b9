import { Agent, FunctionToolset, MemoryLedger, type ToolContext, tool } from 'holdpoint';
import { WrappedTool } from 'holdpoint/toolsets';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../support/latch.ts';

/** A tool whose callbacks record the keys of their contexts. */
function charging() {
  const keys: string[] = [];
  const charge = tool({
    name: 'charge',
    requiresApproval(_args, ctx) {
      keys.push(ctx.idempotencyKey);
      return false;
    },
    argsValidator: (_args, ctx) => void keys.push(ctx.idempotencyKey),
    execute(_args, ctx) {
      keys.push(ctx.idempotencyKey);
      return ctx.toolCallId;
    },
  });
  return { charge, keys };
}

describe('the context of a tool call', () => {
  it.each([
    ['without a ledger', undefined],
    ['with a ledger', new MemoryLedger()],
  ])('has one idempotency key for all callbacks of the tool, %s', async (_name, ledger) => {
    const { charge, keys } = charging();
    const model = scriptedModel(calls('charge', {}, { id: 'c1' }), 'Done.');

    await new Agent({ model, tools: [charge], durability: { ledger } }).run('Go.');

    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/./);
  });

  it('is required: a toolset that passes a copy of a context gets an error, and the tool does not execute', async () => {
    const { charge, keys } = charging();
    class Copying extends WrappedTool<unknown> {
      override validate(args: unknown, ctx: ToolContext) {
        return super.validate(args, { ...ctx });
      }
    }
    const toolset = new FunctionToolset([charge]).changed({
      name: 'copying',
      perStep: false,
      apply: (tools) =>
        new Map([...tools].map(([name, one]) => [name, new Copying(one, one.definition)])),
    });
    const agent = new Agent({ model: scriptedModel(calls('charge')), toolsets: [toolset] });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toMatchObject({ name: 'UserError' });
    expect(String(error)).toContain('do not copy it with `{ ...ctx }`');
    expect(keys).toEqual([]);
  });
});

describe('`ctx.agent`', () => {
  it('is the agent, and starts another run of it', async () => {
    const ask = tool({
      name: 'ask',
      async execute(_args, ctx) {
        const { output, status } = await ctx.agent.run('And you?', { parent: ctx });
        return `${status}: ${output}`;
      },
    });
    const model = scriptedModel(calls('ask'), 'Fine.', 'Done.');
    const agent = new Agent({ name: 'clerk', model, tools: [ask] });

    const { messages } = await agent.run('How are you?');

    expect(messages.at(-2)?.parts).toMatchObject([
      { kind: 'tool-return', content: 'finished: Fine.' },
    ]);
  });
});
