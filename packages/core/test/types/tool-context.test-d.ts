import { Agent, type RunContext, type Tool, type ToolContext, tool } from 'holdpoint';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Clock, Database } from './support/needs.ts';

const inputSchema = z.object({ a: z.string() });
type Args = { readonly a: string };

describe('the type of a context does not depend on the order of members', () => {
  it('with `requiresApproval` before or after `execute`', () => {
    const before = tool({
      inputSchema,
      requiresApproval(_args, ctx) {
        expectTypeOf(ctx).toEqualTypeOf<ToolContext>();
        return true;
      },
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
    });
    const after = tool({
      inputSchema,
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
      requiresApproval(_args, ctx) {
        expectTypeOf(ctx).toEqualTypeOf<ToolContext>();
        return true;
      },
    });
    expectTypeOf(before).toEqualTypeOf<Tool<Database, Args, undefined>>();
    expectTypeOf(after).toEqualTypeOf<Tool<Database, Args, undefined>>();
  });

  it('with `argsValidator` before or after `execute`', () => {
    const before = tool({
      inputSchema,
      argsValidator: (_args, ctx) => void expectTypeOf(ctx).toEqualTypeOf<ToolContext>(),
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
    });
    const after = tool({
      inputSchema,
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
      argsValidator: (_args, ctx) => void expectTypeOf(ctx).toEqualTypeOf<ToolContext>(),
    });
    expectTypeOf(before).toEqualTypeOf<Tool<Database, Args, undefined>>();
    expectTypeOf(after).toEqualTypeOf<Tool<Database, Args, undefined>>();
  });

  it('with `prepare` before or after `execute`', () => {
    const before = tool({
      inputSchema,
      prepare(ctx, definition) {
        expectTypeOf(ctx).toEqualTypeOf<RunContext>();
        return definition;
      },
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
    });
    const after = tool({
      inputSchema,
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
      prepare(ctx, definition) {
        expectTypeOf(ctx).toEqualTypeOf<RunContext>();
        return definition;
      },
    });
    expectTypeOf(before).toEqualTypeOf<Tool<Database, Args, undefined>>();
    expectTypeOf(after).toEqualTypeOf<Tool<Database, Args, undefined>>();
  });

  it('with `preview` before or after `execute`', () => {
    const before = tool({
      inputSchema,
      preview: (_args, ctx) => expectTypeOf(ctx).toEqualTypeOf<ToolContext>(),
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
    });
    const after = tool({
      inputSchema,
      execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
      preview: (_args, ctx) => expectTypeOf(ctx).toEqualTypeOf<ToolContext>(),
    });
    expectTypeOf(before).toEqualTypeOf<Tool<Database, Args, undefined>>();
    expectTypeOf(after).toEqualTypeOf<Tool<Database, Args, undefined>>();
  });

  it('and a tool needs the deps of all its callbacks', () => {
    const all = tool({
      name: 'all',
      inputSchema,
      prepare: (ctx: RunContext<{ p: 1 }>, definition) => (ctx.deps.p ? definition : undefined),
      requiresApproval: (_args, ctx: RunContext<{ r: 1 }>) => ctx.deps.r === 1,
      argsValidator: (_args, ctx: RunContext<{ v: 1 }>) => void ctx.deps.v,
      preview: (_args, ctx: RunContext<{ w: 1 }>) => ctx.deps.w,
      execute: (_args, ctx: RunContext<{ e: 1 }>) => ctx.deps.e,
    });
    const agent = new Agent({ model: 'test', tools: [all] });

    void agent.run('Go.', { deps: { p: 1, r: 1, v: 1, w: 1, e: 1 } });
    // @ts-expect-error: the approval check needs `r`
    void agent.run('Go.', { deps: { p: 1, v: 1, w: 1, e: 1 } });
    // @ts-expect-error: `prepare` needs `p`
    void agent.run('Go.', { deps: { r: 1, v: 1, w: 1, e: 1 } });
  });

  it('for an agent as a tool as well', () => {
    const agent = new Agent({ name: 'clerk', model: 'test' });
    const clerk = agent.asTool({
      inputSchema,
      requiresApproval: (_args, ctx) => ctx.toolCallApproved,
      argsValidator: (_args, ctx) => void ctx.toolName,
      preview: (_args, ctx) => ctx.toolName,
      prepare: (_ctx, definition) => definition,
      prompt: ({ a }, ctx: RunContext<Database>) => a + ctx.deps.db,
    });
    const translated = agent.asTool({
      requiresApproval: (_args, ctx: RunContext<Database>) => ctx.deps.db === '',
      deps: (ctx: RunContext<Clock>) => ctx.deps.clock,
    });
    expectTypeOf(clerk).toEqualTypeOf<Tool<Database, Args>>();
    const lead = new Agent({ model: 'test', tools: [translated] });
    void lead.run('Go.', { deps: { db: 'x', clock: 1 } });
    // @ts-expect-error: the approval check needs the database
    void lead.run('Go.', { deps: { clock: 1 } });
    // @ts-expect-error: what makes the deps needs the clock
    void lead.run('Go.', { deps: { db: 'x' } });
  });
});

describe('the context of a tool', () => {
  it('always knows its call and an idempotency key', () => {
    tool({
      execute(_args, ctx) {
        expectTypeOf(ctx.toolCallId).toEqualTypeOf<string>();
        expectTypeOf(ctx.toolName).toEqualTypeOf<string>();
        expectTypeOf(ctx.idempotencyKey).toEqualTypeOf<string>();
      },
    });
    tool({
      execute(_args, ctx: ToolContext<Database>) {
        expectTypeOf(ctx.deps).toEqualTypeOf<Database>();
        expectTypeOf(ctx.idempotencyKey).toEqualTypeOf<string>();
      },
    });
  });

  it('is a run context', () => {
    expectTypeOf<ToolContext<Database>>().toExtend<RunContext<Database>>();
    expectTypeOf<RunContext['idempotencyKey']>().toEqualTypeOf<string | undefined>();
  });
});

describe('`ctx.agent` has the type of the agent', () => {
  it('with its name and another run of it', () => {
    tool({
      async execute(_args, ctx) {
        expectTypeOf(ctx.agent.name).toEqualTypeOf<string | undefined>();
        const result = await ctx.agent.run('Go on.', { parent: ctx, deps: ctx.deps });
        expectTypeOf(result.output).toEqualTypeOf<unknown>();
        expectTypeOf(result.status).toEqualTypeOf<'finished' | 'parked'>();
        if (ctx.agent instanceof Agent) void ctx.agent.stream('Go on.');
      },
    });
  });
});
