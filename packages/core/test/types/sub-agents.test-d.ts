import {
  AbstractToolset,
  Agent,
  DeferredToolRequests,
  FunctionToolset,
  inherit,
  type RunContext,
  type RunResult,
  type Tool,
  type Toolset,
  tool,
} from 'holdpoint';
import type { Delegation, ToolMap } from 'holdpoint/toolsets';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type Clock, type Database, withDatabase } from './support/needs.ts';

const plain = new Agent({ name: 'plain', model: 'test' });
const needsDatabase = new Agent({ name: 'needs', model: 'test', tools: [withDatabase] });

describe('an agent as a tool', () => {
  it('accepts a prompt by default', () => {
    expectTypeOf(plain.asTool()).toEqualTypeOf<Tool<unknown, { readonly prompt: string }>>();
  });

  it('accepts the input of its schema, and builds the prompt from it', () => {
    const agentTool = plain.asTool({
      inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
      prompt(args) {
        expectTypeOf(args).toEqualTypeOf<{ readonly city: string; readonly days: number }>();
        return `The weather in ${args.city}, ${args.days} days`;
      },
    });

    expectTypeOf(agentTool).toEqualTypeOf<
      Tool<unknown, { readonly city: string; readonly days: number }>
    >();
  });

  it('needs the deps that the agent needs', () => {
    expectTypeOf(needsDatabase.asTool()).toEqualTypeOf<
      Tool<Database, { readonly prompt: string }>
    >();
    const lead = new Agent({ model: 'test', tools: [needsDatabase.asTool()] });

    void lead.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: the sub-agent needs the database
    void lead.run('Go.');
  });

  it('needs the deps of its deps function instead, if it has one', () => {
    const translated = needsDatabase.asTool({
      deps: (ctx: RunContext<Clock>) => ({ db: `at ${ctx.deps.clock}` }),
    });
    expectTypeOf(translated).toEqualTypeOf<Tool<Clock, { readonly prompt: string }>>();
    expectTypeOf(needsDatabase.asTool({ deps: () => ({ db: 'x' }) })).toEqualTypeOf<
      Tool<unknown, { readonly prompt: string }>
    >();
    expectTypeOf(needsDatabase.asTool({ deps: async () => ({ db: 'x' }) })).toEqualTypeOf<
      Tool<unknown, { readonly prompt: string }>
    >();
    const lead = new Agent({ model: 'test', tools: [translated] });

    void lead.run('Go.', { deps: { clock: 1 } });
    // @ts-expect-error: what makes the deps needs the clock
    void lead.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: these are not the deps of the agent
    needsDatabase.asTool({ deps: () => ({ clock: 1 }) });
  });

  it('adds the deps of its own functions', () => {
    const both = needsDatabase.asTool({
      inputSchema: z.object({ city: z.string() }),
      prompt: ({ city }, ctx: RunContext<Clock>) => `${city} at ${ctx.deps.clock}`,
    });
    const lead = new Agent({ model: 'test', tools: [both] });

    void lead.run('Go.', { deps: { db: 'x', clock: 1 } });
    // @ts-expect-error: the prompt needs the clock
    void lead.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: the agent needs the database
    void lead.run('Go.', { deps: { clock: 1 } });
  });

  it('does not expose its execute function', () => {
    // @ts-expect-error: what executes is the agent
    plain.asTool({ execute: () => 'something else' });
  });

  it('does not make the other agent park by its type', () => {
    const parks = new Agent({
      name: 'parks',
      model: 'test',
      output: [String, DeferredToolRequests],
    });
    const lead = new Agent({ model: 'test', tools: [parks.asTool()] });

    expectTypeOf(lead.run('Go.')).resolves.toEqualTypeOf<RunResult<string>>();
  });
});

describe('parent', () => {
  it('is the context of any run', () => {
    tool({
      name: 'delegate',
      execute: async (_args, ctx: RunContext<Clock>) =>
        (await plain.run('Go on.', { parent: ctx })).output,
    });
    tool({
      name: 'delegate',
      execute: async (_args, ctx) => (await plain.stream('Go on.', { parent: ctx }).result).output,
    });
    // @ts-expect-error: this is no context
    void plain.run('Go on.', { parent: { deps: {} } });
  });

  it('gives no deps', () => {
    tool({
      name: 'delegate',
      async execute(_args, ctx: RunContext<Database>) {
        void needsDatabase.run('Go on.', { parent: ctx, deps: ctx.deps });
        // @ts-expect-error: what the agent needs is given
        void needsDatabase.run('Go on.', { parent: ctx });
      },
    });
  });
});

describe('inherit', () => {
  it("needs no deps of the sub-agent's run", () => {
    const sub = new Agent({
      name: 'sub',
      model: 'test',
      toolsets: [inherit('files'), inherit('browser', { share: true }).prefixed('web')],
    });

    void sub.run('Go.');
    expectTypeOf(sub.asTool()).toEqualTypeOf<Tool<unknown, { readonly prompt: string }>>();
    expectTypeOf(inherit('files')).toExtend<Toolset>();
  });

  it('has transforms that may need deps', () => {
    const guarded = inherit('files').approvalRequired(
      (ctx: RunContext<Clock>) => ctx.deps.clock > 1,
    );
    const sub = new Agent({ name: 'sub', model: 'test', toolsets: [guarded] });

    expectTypeOf(sub.asTool()).toEqualTypeOf<Tool<Clock, { readonly prompt: string }>>();
  });

  it('accepts an id and a share option', () => {
    // @ts-expect-error: there is nothing without an id
    inherit();
    // @ts-expect-error: it is shared or not
    inherit('files', { share: 'yes' });
  });
});

describe('forSubAgent', () => {
  it('receives the parent and the agent, and returns a toolset that needs no more', () => {
    class Files extends AbstractToolset<Database> {
      readonly label = 'files';
      getTools(): ToolMap<Database> {
        return new Map();
      }
      forSubAgent({ parent, agent, findToolset }: Delegation): Toolset<Database> {
        expectTypeOf(parent).toEqualTypeOf<RunContext>();
        expectTypeOf(agent.name).toEqualTypeOf<string | undefined>();
        expectTypeOf(findToolset).returns.toEqualTypeOf<Toolset<never> | undefined>();
        return this;
      }
    }
    expectTypeOf<Files>().toExtend<Toolset<Database>>();

    class Wrong extends AbstractToolset {
      readonly label = 'wrong';
      getTools(): ToolMap {
        return new Map();
      }
      forSubAgent(): Toolset<Database> {
        return new FunctionToolset([withDatabase]);
      }
    }
    // @ts-expect-error: what it gives needs more than it itself
    expectTypeOf<Wrong>().toExtend<Toolset>();
  });
});
