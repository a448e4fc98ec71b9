import {
  type AbstractToolset,
  Agent,
  type Capability,
  type DeferredToolHandler,
  type JsonObject,
  type RunContext,
  type StepEvent,
} from 'holdpoint';
import type { RunEnd } from 'holdpoint/agents';
import {
  type CapabilityHooks,
  type HistoryProcessor,
  handleDeferredToolCalls,
  includeReturnSchemas,
  nativeTool,
  prefixTools,
  prepareTools,
  processHistory,
  setToolMetadata,
  toolSearch,
  type ArgsValidation,
} from 'holdpoint/capabilities';
import type { ModelCall, ModelResponseData } from 'holdpoint/models';
import { describe, expectTypeOf, it } from 'vitest';
import { type Clock, type Database, withDatabase } from './support/needs.ts';

describe('the hooks of a capability', () => {
  it('have typed parameters and results', () => {
    const all: Capability = {
      name: 'all',
      async wrapRun(next, ctx) {
        expectTypeOf(ctx).toEqualTypeOf<RunContext<unknown>>();
        expectTypeOf(next()).resolves.toEqualTypeOf<RunEnd>();
        return next();
      },
      async wrapModelRequest(call, next) {
        expectTypeOf(call).toEqualTypeOf<ModelCall>();
        expectTypeOf(next).parameter(0).toEqualTypeOf<ModelCall>();
        return next({ ...call, settings: { temperature: 0 } });
      },
      async wrapToolValidation({ args, definition, call }, next) {
        expectTypeOf(args).toEqualTypeOf<JsonObject>();
        expectTypeOf(definition.name).toEqualTypeOf<string>();
        expectTypeOf(call.toolCallId).toEqualTypeOf<string>();
        expectTypeOf(next(args)).resolves.toEqualTypeOf<ArgsValidation>();
      },
      wrapToolExecution({ args }, next) {
        expectTypeOf(args).toBeUnknown();
        expectTypeOf(next).parameters.toEqualTypeOf<[]>();
        return next();
      },
      async wrapOutput(value, next) {
        expectTypeOf(value).toBeUnknown();
        return next(value);
      },
      onEvent: (event) => void expectTypeOf(event).toEqualTypeOf<StepEvent>(),
    };

    expectTypeOf(all).toExtend<CapabilityHooks>();
  });

  it('cannot omit their result', () => {
    const bad: Capability[] = [
      // @ts-expect-error: how the run ends is missing
      { name: 'a', wrapRun: async () => {} },
      // @ts-expect-error: a run ends finished or parked
      { name: 'a', wrapRun: async () => ({ kind: 'done' }) },
      // @ts-expect-error: the hook returns no response
      { name: 'a', wrapModelRequest: async (call, next) => void (await next(call)) },
      // @ts-expect-error: a request is missing
      { name: 'a', wrapModelRequest: (_call, next) => next() },
      // @ts-expect-error: arguments are an object
      { name: 'a', wrapToolValidation: async (_call, next) => void (await next('x')) },
      // @ts-expect-error: arguments that were settled cannot be given again
      { name: 'a', wrapToolExecution: (_call, next) => next({ path: 'b' }) },
      // @ts-expect-error: a capability has a name
      { instructions: 'Be brief.' },
    ];

    expectTypeOf(bad).toExtend<readonly Capability[]>();
  });

  it('distinguish the results of a validation by ok', () => {
    const looking: Capability = {
      name: 'looking',
      async wrapToolValidation({ args }, next) {
        const validation = await next(args);
        if (validation.ok) expectTypeOf(validation.args).toBeUnknown();
        else expectTypeOf(validation.problem).not.toBeAny();
        // @ts-expect-error: there is a problem only where it is not ok
        void validation.problem;
      },
    };

    expectTypeOf(looking).toExtend<Capability>();
  });

  it('may be made for a run by an object of a class', () => {
    class Counter implements CapabilityHooks<Database> {
      requests = 0;
      async wrapModelRequest(
        call: ModelCall,
        next: (call: ModelCall) => Promise<ModelResponseData>,
        ctx: RunContext<Database>,
      ): Promise<ModelResponseData> {
        expectTypeOf(ctx.deps.db).toEqualTypeOf<string>();
        this.requests += 1;
        return next(call);
      }
    }
    const counting: Capability<Database> = { name: 'counting', forRun: () => new Counter() };

    expectTypeOf(counting.name).toEqualTypeOf<string>();
  });
});

describe('deps of capabilities', () => {
  const needsDatabase: Capability<Database> = {
    name: 'database',
    instructions: (ctx) => `Use ${ctx.deps.db}.`,
    tools: [withDatabase],
  };

  it('are required when the agent runs', () => {
    const agent = new Agent({ model: 'test', capabilities: [needsDatabase] });

    void agent.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: the capability needs the database
    void agent.run('Go.');
    // @ts-expect-error: the same for streams
    void agent.stream('Go.', { deps: { clock: 1 } });
    // @ts-expect-error: the same for steps
    void agent.iter('Go.');
  });

  it('are not required when they need nothing', () => {
    const agent = new Agent({ model: 'test', capabilities: [{ name: 'plain' }, toolSearch()] });

    void agent.run('Go.');
  });

  it('can be less than the deps of the agent', () => {
    const agent = new Agent({
      model: 'test',
      instructions: (ctx: RunContext<Database & Clock>) => `${ctx.deps.db} ${ctx.deps.clock}`,
      capabilities: [needsDatabase, { name: 'plain' }],
    });

    void agent.run('Go.', { deps: { db: 'x', clock: 1 } });
    // @ts-expect-error: the agent needs both
    void agent.run('Go.', { deps: { db: 'x' } });
  });

  it('have to be declared for several capabilities with different deps', () => {
    const needsClock: Capability<Clock> = {
      name: 'clock',
      instructions: (ctx) => `It is ${ctx.deps.clock}.`,
    };
    const both: readonly Capability<Database & Clock>[] = [needsDatabase, needsClock];
    const agent = new Agent({ model: 'test', capabilities: both });

    void agent.run('Go.', { deps: { db: 'x', clock: 1 } });
    // @ts-expect-error: the other one needs the clock
    void agent.run('Go.', { deps: { db: 'x' } });
    // @ts-expect-error: what the first one needs is taken for what all of them need
    void new Agent({ model: 'test', capabilities: [needsDatabase, needsClock] });
  });

  it('are required by a run that adds them', () => {
    const agent = new Agent({ model: 'test', tools: [withDatabase] });

    void agent.run('Go.', { deps: { db: 'x' }, capabilities: [needsDatabase] });
    const needsClock: Capability<Clock> = { name: 'clock', onEvent: () => {} };
    void agent.run('Go.', {
      deps: { db: 'x' },
      // @ts-expect-error: the run has no clock
      capabilities: [needsClock],
    });
  });
});

describe('the provided capabilities', () => {
  it('need the deps of their functions', () => {
    expectTypeOf(
      prepareTools((ctx: RunContext<Database>, all) => (ctx.deps.db ? all : [])),
    ).toEqualTypeOf<Capability<Database>>();
    const handler: DeferredToolHandler<Clock> = () => undefined;
    expectTypeOf(handleDeferredToolCalls(handler)).toEqualTypeOf<Capability<Clock>>();
    const processor: HistoryProcessor<Clock> = (messages) => messages;
    expectTypeOf(processHistory(processor)).toEqualTypeOf<Capability<Clock>>();
    expectTypeOf(
      includeReturnSchemas((ctx: RunContext<Database>) => ctx.deps.db === 'x'),
    ).toEqualTypeOf<Capability<Database>>();
    expectTypeOf(
      setToolMetadata({ a: 1 }, (ctx: RunContext<Database>) => ctx.deps.db === 'x'),
    ).toEqualTypeOf<Capability<Database>>();
    expectTypeOf(
      nativeTool((ctx: RunContext<Database>) => (ctx.deps.db ? { kind: 'web-search' } : undefined)),
    ).toEqualTypeOf<Capability<Database>>();
    expectTypeOf(
      prefixTools('x', { name: 'db', tools: [withDatabase] } satisfies Capability<Database>),
    ).toExtend<Capability<Database>>();
  });

  it('have no deps by default', () => {
    expectTypeOf(prepareTools((_ctx, all) => all)).toEqualTypeOf<Capability>();
    expectTypeOf(processHistory((messages) => messages)).toEqualTypeOf<Capability>();
    expectTypeOf(includeReturnSchemas(['a'])).toEqualTypeOf<Capability>();
    expectTypeOf(setToolMetadata({}, 'all')).toEqualTypeOf<Capability>();
    expectTypeOf(nativeTool({ kind: 'web-search' })).toEqualTypeOf<Capability>();
    expectTypeOf(toolSearch()).toEqualTypeOf<Capability>();
    expectTypeOf(handleDeferredToolCalls(() => undefined)).toEqualTypeOf<Capability>();
  });
});

describe('changeTools', () => {
  it('is written for any tools, and may have deps of its own', () => {
    const byDatabase: Capability<Database> = {
      name: 'byDatabase',
      changeTools: (tools) => tools.filtered((ctx: RunContext<Database>) => ctx.deps.db === 'x'),
    };
    const spelledOut: Capability<Database> = {
      name: 'spelledOut',
      changeTools: <Inner>(tools: AbstractToolset<Inner>) =>
        tools.approvalRequired((ctx: RunContext<Database>) => ctx.deps.db === 'x'),
    };
    const bad: Capability<Clock> = {
      name: 'bad',
      // @ts-expect-error: the capability does not say that it needs the database
      changeTools: (tools) => tools.filtered((ctx: RunContext<Database>) => ctx.deps.db === 'x'),
    };

    expectTypeOf([byDatabase, spelledOut]).toExtend<readonly Capability<Database>[]>();
    expectTypeOf(bad).toExtend<Capability<Clock>>();
  });
});

describe('a capability that needs less', () => {
  it('is accepted in place of one that needs more, and not the reverse', () => {
    expectTypeOf<Capability>().toExtend<Capability<Database>>();
    expectTypeOf<Capability<Database>>().not.toExtend<Capability>();
  });
});
