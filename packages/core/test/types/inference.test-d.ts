import { type } from 'arktype';
import {
  Agent,
  fromJsonSchema,
  nativeOutput,
  noOutput,
  outputFunction,
  type RunContext,
  type RunResult,
  textOutput,
  tool,
  toolOutput,
  WrapperAgent,
} from 'holdpoint';
import type { DepsOfAgent } from 'holdpoint/agents';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

interface Database {
  readonly db: string;
}
interface Clock {
  readonly clock: number;
}

const plain = tool({
  name: 'plain',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => path.length,
});
const withDatabase = tool({
  name: 'with_database',
  inputSchema: z.object({ id: z.number() }),
  execute: ({ id }, ctx: RunContext<Database>) => `${ctx.deps.db}${id}`,
});
const withClock = tool({
  name: 'with_clock',
  execute: (_args, ctx: RunContext<Clock>) => ctx.deps.clock,
});

describe('the arguments of a tool', () => {
  it('follow from a zod, arktype or valibot schema', () => {
    tool({
      inputSchema: z.object({ a: z.string(), b: z.number().default(1) }),
      execute: (args) =>
        expectTypeOf(args).toEqualTypeOf<{ readonly a: string; readonly b: number }>(),
    });
    tool({
      inputSchema: type({ a: 'string' }),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ readonly a: string }>(),
    });
    tool({
      inputSchema: v.object({ a: v.string() }),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ readonly a: string }>(),
    });
    tool({
      inputSchema: fromJsonSchema<{ a: boolean }>({ type: 'object' }),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ readonly a: boolean }>(),
    });
  });

  it('are the same in the validator', () => {
    tool({
      inputSchema: z.object({ a: z.string() }),
      argsValidator: (args) => void expectTypeOf(args).toEqualTypeOf<{ readonly a: string }>(),
      execute: () => 1,
    });
  });

  it('are typed beside an annotated context', () => {
    tool({
      inputSchema: z.object({ a: z.string() }),
      execute(args, ctx: RunContext<Database>) {
        expectTypeOf(args).toEqualTypeOf<{ readonly a: string }>();
        expectTypeOf(ctx.deps).toEqualTypeOf<Database>();
      },
    });
  });
});

describe('the deps of an agent', () => {
  it('are not required if nothing needs them', () => {
    const agent = new Agent({ model: 'test', tools: [plain] });

    void agent.run('Go.');
    void agent.run('Go.', { runId: 'r' });
  });

  it('combine the deps of its tools, and cannot be omitted', () => {
    const agent = new Agent({ model: 'test', tools: [plain, withDatabase, withClock] });

    void agent.run('Go.', { deps: { db: 'x', clock: 1 } });
    // @ts-expect-error: a tool needs deps
    void agent.run('Go.');
    // @ts-expect-error: a tool needs deps
    void agent.run('Go.', {});
    // @ts-expect-error: one tool's deps are missing
    void agent.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: the same for streams
    void agent.stream('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: the same for steps
    void agent.iter('Go.');
  });

  it('are found in a record of tools, too', () => {
    const agent = new Agent({ model: 'test', tools: { plain, database: withDatabase } });

    expectTypeOf<
      DepsOfAgent<
        { plain: typeof plain; database: typeof withDatabase },
        StringConstructor,
        unknown
      >
    >().toEqualTypeOf<Database>();
    void agent.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: the tool in the record needs deps
    void agent.run('Go.');
  });

  it('include the deps of the agent itself', () => {
    const agent = new Agent({
      model: 'test',
      tools: [withClock],
      instructions: (ctx: RunContext<Database>) => `Use ${ctx.deps.db}.`,
    });

    void agent.run('Go.', { deps: { db: 'x', clock: 1 } });
    // @ts-expect-error: the instructions need the database
    void agent.run('Go.', { deps: { clock: 1 } });
  });

  it('include the deps of output functions', () => {
    const agent = new Agent({
      model: 'test',
      output: outputFunction({
        inputSchema: z.object({ id: z.number() }),
        execute: ({ id }, ctx: RunContext<Database>) => ({ row: `${ctx.deps.db}${id}` }),
      }),
    });

    // @ts-expect-error: the output function needs the database
    void agent.run('Go.');
    expectTypeOf(agent.run('Go.', { deps: { db: 'x' } })).resolves.toEqualTypeOf<
      RunResult<{ row: string }>
    >();
  });

  it('are required by a wrapper as by the agent that it wraps', () => {
    const agent = new WrapperAgent(new Agent({ model: 'test', tools: [withDatabase] }));

    void agent.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: the wrapped agent needs deps
    void agent.run('Go.');
  });
});

describe('the output of a run', () => {
  const Person = z.object({ name: z.string() });
  const City = z.object({ city: z.string() });

  it('is text by default', () => {
    expectTypeOf(new Agent({ model: 'test' }).run()).resolves.toEqualTypeOf<RunResult<string>>();
  });

  it('follows from the declaration of the agent', () => {
    expectTypeOf(new Agent({ model: 'test', output: Person }).run()).resolves.toEqualTypeOf<
      RunResult<{ name: string }>
    >();
    expectTypeOf(
      new Agent({ model: 'test', output: [String, Person, City, noOutput] }).run(),
    ).resolves.toEqualTypeOf<RunResult<string | { name: string } | { city: string } | null>>();
    expectTypeOf(
      new Agent({ model: 'test', output: toolOutput(Person, { name: 'person' }) }).run(),
    ).resolves.toEqualTypeOf<RunResult<{ name: string }>>();
    expectTypeOf(
      new Agent({ model: 'test', output: nativeOutput([Person, City]) }).run(),
    ).resolves.toEqualTypeOf<RunResult<{ name: string } | { city: string }>>();
    expectTypeOf(
      new Agent({ model: 'test', output: textOutput((text) => text.length) }).run(),
    ).resolves.toEqualTypeOf<RunResult<number>>();
  });

  it('follows from the declaration of the run, if there is one', () => {
    const agent = new Agent({ model: 'test', output: Person });

    expectTypeOf(agent.run('Go.', { output: [String, City] })).resolves.toEqualTypeOf<
      RunResult<string | { city: string }>
    >();
    expectTypeOf(agent.stream('Go.', { output: City }).result).resolves.toEqualTypeOf<
      RunResult<{ city: string }>
    >();
  });

  it('is the parameter and the result of validators', () => {
    const agent = new Agent({
      model: 'test',
      output: Person,
      outputValidators: [
        (output, ctx: RunContext<Database>) => {
          expectTypeOf(output).toEqualTypeOf<{ name: string }>();
          expectTypeOf(ctx.deps).toEqualTypeOf<Database>();
          return output;
        },
      ],
    });

    // @ts-expect-error: the validator needs the database
    void agent.run('Go.');
  });
});
