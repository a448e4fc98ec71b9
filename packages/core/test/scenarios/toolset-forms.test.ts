import {
  AbstractToolset,
  Agent,
  CombinedToolset,
  DeferredToolRequests,
  DynamicToolset,
  ExternalToolset,
  FunctionToolset,
  type ReplaceToolset,
  type RunContext,
  type ToolChange,
  type ToolDefinition,
  type Toolset,
  ModelRetry,
  prepareTools,
  tool,
  UserError,
  WrappedTool,
  WrapperToolset,
} from 'holdpoint';
import { calls, reply, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../support/deferral.ts';
import { rejectionOf } from '../support/latch.ts';
import { named, offeredTo, resultsIn, toolsetOf } from '../support/toolsets.ts';

/** Runs an agent with one toolset; the model calls these tools, one a step. */
async function runWith(toolset: Toolset, ...toolNames: readonly string[]) {
  const model = scriptedModel(...toolNames.map((name) => calls(name)), says('Done.'));
  const result = await new Agent({ model, toolsets: [toolset] }).run('Go.');
  return { model, offered: offeredTo(model), results: resultsIn(result.messages), result };
}

describe('prefixed', () => {
  it('puts the prefix before each name; the tool itself goes by its own', async () => {
    const { offered, results, result } = await runWith(
      toolsetOf('read', 'list').prefixed('disk'),
      'disk_read',
    );

    expect(offered[0]).toEqual(['disk_read', 'disk_list']);
    expect(results).toEqual(['read ran']);
    expect(result.messages[2]?.parts).toMatchObject([{ toolName: 'disk_read' }]);
  });

  it('leaves nothing under the old name', async () => {
    const { results } = await runWith(toolsetOf('read').prefixed('disk'), 'read');

    expect(results).toEqual(['retry read']);
  });

  it('gives each function of a tool the inner name', async () => {
    const seen: string[] = [];
    const note = (what: string, ctx: RunContext) => void seen.push(`${what} ${ctx.toolName}`);
    const read = tool({
      name: 'read',
      argsValidator: (_args, ctx) => note('validate', ctx),
      requiresApproval: (_args, ctx) => {
        note('approval', ctx);
        return false;
      },
      execute: (_args, ctx) => note('execute', ctx),
    });

    await runWith(new FunctionToolset([read]).prefixed('b').prefixed('a'), 'a_b_read');

    expect(seen).toEqual(['validate read', 'approval read', 'execute read']);
  });

  it('counts retries by the outer name', async () => {
    const seen: unknown[] = [];
    const flaky = tool({
      name: 'flaky',
      maxRetries: 2,
      execute(_args, ctx) {
        seen.push([ctx.toolName, ctx.retry, { ...ctx.retries }]);
        if (seen.length < 3) throw new ModelRetry('Again.');
        return 'at last';
      },
    });

    const { results } = await runWith(
      new FunctionToolset([flaky]).prefixed('my'),
      'my_flaky',
      'my_flaky',
      'my_flaky',
    );

    expect(seen).toEqual([
      ['flaky', 0, {}],
      ['flaky', 1, { my_flaky: 1 }],
      ['flaky', 2, { my_flaky: 2 }],
    ]);
    expect(results).toEqual(['retry my_flaky', 'retry my_flaky', 'at last']);
  });

  it('names the outer name when there were too many retries', async () => {
    const broken = tool({ name: 'broken', execute: () => Promise.reject(new ModelRetry('No.')) });

    const error = await rejectionOf(
      runWith(new FunctionToolset([broken]).prefixed('my'), 'my_broken', 'my_broken'),
    );

    expect(error).toMatchObject({ message: expect.stringContaining("'my_broken'") });
  });
});

describe('renamed', () => {
  it('gives tools new names and leaves the others and their order alone', async () => {
    const { offered, results } = await runWith(
      toolsetOf('a', 'b', 'c').renamed({ z: 'b' }),
      'z',
      'b',
    );

    expect(offered[0]).toEqual(['a', 'z', 'c']);
    expect(results).toEqual(['b ran', 'retry b']);
  });

  it('swaps names', async () => {
    const { offered, results } = await runWith(
      toolsetOf('a', 'b').renamed({ a: 'b', b: 'a' }),
      'a',
      'b',
    );

    expect(offered[0]).toEqual(['b', 'a']);
    expect(results).toEqual(['b ran', 'a ran']);
  });

  it.each([
    ['a tool that is there', { a: 'b' }, "'a'"],
    ['a tool that comes later', { c: 'a' }, "'c'"],
  ])('refuses the name of %s', async (_what, names, mention) => {
    const error = await rejectionOf(runWith(toolsetOf('a', 'b', 'c').renamed(names)));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining(mention) });
  });

  it('does not care about tools that are not there', async () => {
    const { offered } = await runWith(toolsetOf('a').renamed({ x: 'missing' }));

    expect(offered[0]).toEqual(['a']);
  });

  it('takes names that objects have anyway', async () => {
    const { offered, results } = await runWith(
      toolsetOf('toString', 'a').renamed({ constructor: 'a' }),
      'constructor',
      'toString',
    );

    expect(offered[0]).toEqual(['toString', 'constructor']);
    expect(results).toEqual(['a ran', 'toString ran']);
  });
});

describe('filtered', () => {
  const rooms = () =>
    new FunctionToolset([
      tool({ name: 'a', metadata: { room: { floor: 1, dry: true } }, execute: () => 'a' }),
      tool({ name: 'b', metadata: { room: { floor: 2 } }, execute: () => 'b' }),
      tool({ name: 'c', execute: () => 'c' }),
    ]);

  it.each([
    ['names', ['c', 'a', 'nobody'], ['a', 'c']],
    ['metadata', { room: { floor: 1 } }, ['a']],
    ['metadata that some have', { room: {} }, ['a', 'b']],
    ['all', 'all' as const, ['a', 'b', 'c']],
    ['no names', [], []],
  ])('keeps what is picked by %s', async (_what, selector, expected) => {
    const { offered } = await runWith(rooms().filtered(selector));

    expect(offered[0]).toEqual(expected);
  });

  it('asks a predicate in every step, and again when it is slow', async () => {
    const asked: string[] = [];
    const toolset = rooms().filtered(async ({ runStep }, { name }) => {
      asked.push(`${runStep} ${name}`);
      await undefined;
      return name !== 'b' || runStep === 2;
    });

    const { offered } = await runWith(toolset, 'a', 'a');

    expect(offered).toEqual([
      ['a', 'c'],
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
    expect(asked).toEqual(['1 a', '1 b', '1 c', '2 a', '2 b', '2 c', '3 a', '3 b', '3 c']);
  });

  it('makes what it leaves out unknown: it does not run', async () => {
    const { results } = await runWith(rooms().filtered(['a']), 'b');

    expect(results).toEqual(['retry b']);
  });

  it('sees the names of its own level', async () => {
    const inside = await runWith(toolsetOf('read', 'write').filtered(['read']).prefixed('disk'));
    const outside = await runWith(toolsetOf('read', 'write').prefixed('disk').filtered(['read']));

    expect(inside.offered[0]).toEqual(['disk_read']);
    expect(outside.offered[0]).toEqual([]);
  });
});

describe('prepared', () => {
  it('changes, leaves out and orders the tools, in every step', async () => {
    const toolset = toolsetOf('a', 'b', 'c').prepared(({ runStep }, definitions) =>
      runStep === 1
        ? definitions.toReversed().map((one) => ({ ...one, description: `Step ${runStep}` }))
        : definitions.filter(({ name }) => name === 'b'),
    );

    const { model, offered } = await runWith(toolset, 'a');

    expect(offered).toEqual([['c', 'b', 'a'], ['b']]);
    expect(model.calls[0]?.functionTools[0]).toMatchObject({ description: 'Step 1' });
    expect(model.calls[1]?.functionTools[0]).not.toMatchObject({ description: 'Step 1' });
  });

  it.each([
    ['adds a tool', (all: readonly ToolDefinition[]) => [...all, { ...all[0]!, name: 'new' }]],
    ['renames a tool', (all: readonly ToolDefinition[]) => [{ ...all[0]!, name: 'new' }]],
  ])('refuses a function that %s', async (_what, prepare) => {
    const error = await rejectionOf(
      runWith(toolsetOf('a').prepared((_ctx, definitions) => prepare(definitions))),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(/'new'.*renamed/) });
  });

  it.each([null, undefined, {}])('refuses a function that returns %s', async (returned) => {
    const toolset = toolsetOf('a').prepared(() => returned as never);

    expect(await rejectionOf(runWith(toolset))).toBeInstanceOf(UserError);
  });

  it('fails the run with what the function throws; the request is in the history', async () => {
    const model = scriptedModel('unused');
    const broken = toolsetOf('a').prepared(() => Promise.reject(new RangeError('broken')));
    const iterator = new Agent({ model, toolsets: [broken] }).iter('Go.');

    await expect(drainSteps(iterator)).rejects.toThrow(RangeError);

    expect(iterator.messages).toMatchObject([{ kind: 'request' }]);
    expect(model.calls).toEqual([]);
  });

  it('cannot change the list that it is given', async () => {
    const toolset = toolsetOf('a', 'b').prepared((_ctx, definitions) => {
      (definitions as ToolDefinition[]).pop();
      return definitions;
    });

    expect(await rejectionOf(runWith(toolset))).toBeInstanceOf(TypeError);
  });

  it('as a capability sees the tools of everybody', async () => {
    const model = scriptedModel(says('Done.'), says('Done.'));
    const agent = new Agent({
      model,
      tools: [named('own')],
      toolsets: [toolsetOf('agents')],
      capabilities: [prepareTools((_ctx, all) => all.toReversed())],
    });

    await agent.run('Go.', {
      toolsets: [toolsetOf('runs')],
      capabilities: [prepareTools((_ctx, all) => all.filter(({ name }) => name !== 'agents'))],
    });
    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([
      ['runs', 'own'],
      ['agents', 'own'],
    ]);
  });
});

describe('approvalRequired', () => {
  const paths = z.object({ path: z.string() });
  /** A tool that notes that it ran. */
  const remove = (ran: string[], requiresApproval = false) =>
    tool({
      name: 'remove',
      inputSchema: paths,
      requiresApproval,
      execute: ({ path }) => void ran.push(path),
    });
  const output = [String, DeferredToolRequests] as const;

  it('has every call approved', async () => {
    const ran: string[] = [];
    const agent = new Agent({
      model: scriptedModel(calls('remove', { path: '.env' }), says('Removed.')),
      toolsets: [new FunctionToolset([remove(ran)]).approvalRequired()],
      output,
    });

    const parked = await expectParked(agent.run('Go.'));
    expect(ran).toEqual([]);
    const finished = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(finished).toMatchObject({ status: 'finished', output: 'Removed.' });
    expect(ran).toEqual(['.env']);
  });

  it('asks the policy with checked arguments and the names of its own level', async () => {
    const ran: string[] = [];
    const seen: unknown[] = [];
    const toolset = new FunctionToolset([remove(ran)])
      .prefixed('disk')
      .approvalRequired(async (ctx: RunContext<{ root: string }>, { name }, args) => {
        seen.push([ctx.toolName, name, args]);
        return (args as z.infer<typeof paths>).path.startsWith(ctx.deps.root);
      })
      .prefixed('my');
    const agent = new Agent({
      model: scriptedModel(
        reply(
          calls('my_disk_remove', { path: '/etc/a' }, { id: 'etc' }),
          calls('my_disk_remove', '{"path":"/tmp/b"}'),
          calls('my_disk_remove', { path: 7 }),
        ),
      ),
      toolsets: [toolset],
      output,
    });

    const parked = await expectParked(agent.run('Go.', { deps: { root: '/etc' } }));

    expect(seen).toEqual([
      ['disk_remove', 'disk_remove', { path: '/etc/a' }],
      ['disk_remove', 'disk_remove', { path: '/tmp/b' }],
    ]);
    expect(parked.output.approvals).toMatchObject([{ toolCallId: 'etc' }]);
    expect(parked.output.metadata).toEqual({});
    expect(ran).toEqual(['/tmp/b']);
  });

  it.each<[string, (toolset: FunctionToolset) => Toolset]>([
    ['a policy that says no', (toolset) => toolset.approvalRequired(() => false)],
    [
      'a second policy that says no',
      (toolset) => toolset.approvalRequired().approvalRequired(() => false),
    ],
    ['every other form around it', (toolset) => everyForm(toolset)],
    ['a prepare function that says function', (toolset) => toolset.prepared(ofKind('function'))],
    ['a prepare function that says output', (toolset) => toolset.prepared(ofKind('output'))],
    [
      'two prepare functions, by way of external',
      (toolset) => toolset.prepared(ofKind('external')).prepared(ofKind('function')),
    ],
    ['a change of its own', (toolset) => toolset.changed(asFunctions)],
  ])('can only get stricter: %s', async (_what, change) => {
    const ran: string[] = [];
    const agent = new Agent({
      model: scriptedModel(
        ({ functionTools }) => calls(functionTools[0]?.name ?? 'remove', { path: 'a' }),
        says('Done.'),
      ),
      toolsets: [change(new FunctionToolset([remove(ran, true)]))],
      output,
    });

    const result = await agent.run('Go.').catch((error: unknown) => error);

    expect(ran).toEqual([]);
    // Somebody has to answer, with an approval or with a result.
    expect(result).toMatchObject({ status: 'deferred' });
  });

  it('can only get stricter: the prepare function of a tool, then that of the toolset', async () => {
    const ran: string[] = [];
    const remover = tool({
      name: 'remove',
      requiresApproval: true,
      prepare: (_ctx, definition) => ({ ...definition, kind: 'external' }),
      execute: () => void ran.push('removed'),
    });
    const toolset = new FunctionToolset([remover]).prepared(ofKind('function'));
    const agent = new Agent({
      model: scriptedModel(calls('remove'), says('Done.')),
      toolsets: [toolset],
      output,
    });

    await agent.run('Go.').catch(() => {});

    expect(ran).toEqual([]);
  });

  it('leaves external tools external', async () => {
    const agent = new Agent({
      model: scriptedModel(calls('locate')),
      toolsets: [new ExternalToolset([{ name: 'locate' }]).approvalRequired()],
      output,
    });

    const parked = await expectParked(agent.run('Go.'));

    expect(parked.output).toMatchObject({ approvals: [], calls: [{ toolName: 'locate' }] });
  });

  it('fails the run with what the policy throws; the tool does not run', async () => {
    const ran: string[] = [];
    const toolset = new FunctionToolset([remove(ran)]).approvalRequired(() =>
      Promise.reject(new RangeError('broken')),
    );
    const agent = new Agent({
      model: scriptedModel(calls('remove', { path: 'a' })),
      toolsets: [toolset],
      output,
    });

    await expect(agent.run('Go.')).rejects.toThrow(RangeError);

    expect(ran).toEqual([]);
  });
});

describe('withMetadata', () => {
  const toolset = () =>
    new FunctionToolset(
      [
        tool({ name: 'a', metadata: { by: 'tool', own: 1 }, execute: () => 'a' }),
        tool({ name: 'b', execute: () => 'b' }),
      ],
      { metadata: { by: 'toolset', low: 2 } },
    );
  const metadataIn = async (one: Toolset) => {
    const { model } = await runWith(one);
    return model.calls[0]?.functionTools.map(({ metadata }) => metadata);
  };

  it('lies over that of the tools', async () => {
    expect(await metadataIn(toolset().withMetadata({ by: 'form' }))).toEqual([
      { by: 'form', own: 1, low: 2 },
      { by: 'form', low: 2 },
    ]);
  });

  it('goes to those that are picked, and can be picked by', async () => {
    expect(await metadataIn(toolset().withMetadata({ x: 1 }, ['b']))).toEqual([
      { by: 'tool', own: 1, low: 2 },
      { by: 'toolset', low: 2, x: 1 },
    ]);
    expect(await metadataIn(toolset().withMetadata({ x: 1 }, ['b']).filtered({ x: 1 }))).toEqual([
      { by: 'toolset', low: 2, x: 1 },
    ]);
  });

  it('is there for the policy of the agent', async () => {
    const agent = new Agent({
      model: scriptedModel(reply(calls('a'), calls('b'))),
      toolsets: [toolset().withMetadata({ writes: true }, ['b'])],
      approvalPolicy: (_ctx, { metadata }) => metadata?.['writes'] === true,
      output: [String, DeferredToolRequests],
    });

    const parked = await expectParked(agent.run('Go.'));

    expect(parked.output.approvals).toMatchObject([{ toolName: 'b' }]);
  });
});

describe('deferLoading', () => {
  it('hides the tools that are picked, until they are searched for', async () => {
    const { offered } = await runWith(toolsetOf('a', 'b').deferLoading(['b']), 'a');

    expect(offered[0]).toEqual(['a', 'search_tools']);
  });

  it('asks a predicate in every step', async () => {
    const toolset = toolsetOf('a', 'b').deferLoading(
      ({ runStep }, { name }) => name === 'b' && runStep === 1,
    );

    const { offered } = await runWith(toolset, 'a');

    expect(offered).toEqual([
      ['a', 'search_tools'],
      ['a', 'b'],
    ]);
  });
});

describe('includeReturnSchemas', () => {
  const counting = (name: string, includeReturnSchema?: boolean) =>
    tool({ name, outputSchema: z.number(), includeReturnSchema, execute: () => 1 });

  it('has the model told what the tools return, where they do not say otherwise', async () => {
    const toolset = new FunctionToolset([counting('a'), counting('b', false), counting('c')]);

    const { model } = await runWith(toolset.includeReturnSchemas(['a', 'b']));

    expect(model.calls[0]?.functionTools).toMatchObject([
      { includeReturnSchema: true, returnSchema: { type: 'number' } },
      { includeReturnSchema: false },
      { includeReturnSchema: undefined },
    ]);
  });
});

describe('a chain of forms', () => {
  it('is read from the inside to the outside', async () => {
    const { offered, results } = await runWith(
      toolsetOf('read', 'write', 'list')
        .filtered(['read', 'write'])
        .prefixed('disk')
        .renamed({ load: 'disk_read' })
        .prepared((_ctx, all) => all.toReversed())
        .prefixed('my'),
      'my_load',
    );

    expect(offered[0]).toEqual(['my_disk_write', 'my_load']);
    expect(results).toEqual(['read ran']);
  });

  it('leaves the toolset that it starts from alone', async () => {
    const base = toolsetOf('read');
    base.prefixed('a').approvalRequired();

    const { offered, results } = await runWith(base, 'read');

    expect(offered[0]).toEqual(['read']);
    expect(results).toEqual(['read ran']);
  });

  it('notices tools that are added later', async () => {
    const base = toolsetOf('first');
    const model = scriptedModel(says('One.'), says('Two.'));
    const agent = new Agent({ model, toolsets: [base.prefixed('my').withMetadata({ x: 1 })] });

    await agent.run('Go.');
    base.add(named('second'));
    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([['my_first'], ['my_first', 'my_second']]);
  });
});

describe('visitAndReplace', () => {
  const prefixAll: ReplaceToolset = (toolset) =>
    toolset instanceof AbstractToolset ? toolset.prefixed('new') : toolset;

  it('replaces the innermost toolsets and keeps what is around them', async () => {
    const whole = new CombinedToolset([
      toolsetOf('a').prefixed('x'),
      new CombinedToolset([toolsetOf('b', 'c').filtered(['new_c'])]),
    ]).prefixed('outer');

    const { offered } = await runWith(whole.visitAndReplace(prefixAll), 'outer_new_c');

    expect(offered[0]).toEqual(['outer_x_new_a', 'outer_new_c']);
  });

  it('visits each of them once, dynamic ones as they are', () => {
    const leaves = [toolsetOf('a'), new ExternalToolset([]), new DynamicToolset(() => null)];
    const visited: Toolset<never>[] = [];

    new CombinedToolset([leaves[0]!.prefixed('x'), leaves[1]!, leaves[2]!.filtered('all')])
      .renamed({})
      .visitAndReplace((toolset) => {
        visited.push(toolset);
        return toolset;
      });

    expect(visited).toEqual(leaves);
  });

  it('gives the same toolset when nothing is replaced', () => {
    const whole = new CombinedToolset([toolsetOf('a').prefixed('x')]).approvalRequired();

    expect(whole.visitAndReplace((toolset) => toolset)).toBe(whole);
  });

  it('goes through wrappers of your own', async () => {
    class Quiet extends WrapperToolset {
      protected override around(wrapped: Toolset): Toolset {
        return new Quiet(wrapped);
      }
      override getInstructions(): undefined {}
    }
    const whole = new Quiet(toolsetOf('a'));

    const replaced = whole.visitAndReplace(prefixAll);

    expect(replaced).toBeInstanceOf(Quiet);
    expect((await runWith(replaced)).offered[0]).toEqual(['new_a']);
  });
});

describe('what a toolset needs', () => {
  interface Shop {
    readonly shop: string;
  }
  interface Staff {
    readonly staff: readonly string[];
  }
  const buy = tool({ name: 'buy', execute: (_args, ctx: RunContext<Shop>) => ctx.deps.shop });
  const shop = new FunctionToolset<Shop>([buy]);
  const byStaff = (ctx: RunContext<Staff>) => ctx.deps.staff.length > 0;
  const model = scriptedModel(says('Done.'));

  it('is what its tools and its predicates need', () => {
    expectTypeOf(shop.prefixed('x')).toEqualTypeOf<AbstractToolset<Shop>>();
    expectTypeOf(shop.filtered(['buy'])).toEqualTypeOf<AbstractToolset<Shop>>();
    expectTypeOf(shop.filtered(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(shop.approvalRequired(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(
      shop.prepared((ctx: RunContext<Staff>, all) => all.slice(ctx.deps.staff.length)),
    ).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(shop.withMetadata({ x: 1 }, byStaff)).toEqualTypeOf<
      AbstractToolset<Shop & Staff>
    >();
    expectTypeOf(shop.deferLoading(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(shop.includeReturnSchemas(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(toolsetOf('a').filtered(byStaff).prefixed('x')).toEqualTypeOf<
      AbstractToolset<Staff>
    >();
  });

  it('is what an agent with it needs', () => {
    const agent = new Agent({ model, toolsets: [shop.filtered(byStaff), toolsetOf('a')] });
    const none = new Agent({ model, toolsets: [toolsetOf('a').filtered((ctx) => !ctx.runStep)] });

    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x', staff: [] } })).toBeFunction();
    // @ts-expect-error it needs deps
    expectTypeOf(() => agent.run('Go.')).toBeFunction();
    // @ts-expect-error the tools need a shop
    expectTypeOf(() => agent.run('Go.', { deps: { staff: [] } })).toBeFunction();
    // @ts-expect-error the predicate needs the staff
    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x' } })).toBeFunction();
    expectTypeOf(() => none.run('Go.')).toBeFunction();
  });

  it('is all that toolsets need that need different things', () => {
    const staff = toolsetOf('a').filtered(byStaff);
    const made = (_ctx: RunContext<{ till: number }>) => toolsetOf('b');
    const agent = new Agent({ model, toolsets: [shop, staff, made] });

    const deps = { shop: 'x', staff: [], till: 1 };
    expectTypeOf(() => agent.run('Go.', { deps })).toBeFunction();
    // @ts-expect-error one of them needs the staff
    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x', till: 1 } })).toBeFunction();
    // @ts-expect-error the factory needs the till
    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x', staff: [] } })).toBeFunction();
  });

  it('is refused among the toolsets when it is none', () => {
    expect(() => new Agent({ model, toolsets: [{ tools: [] }] })).toThrow(/neither a toolset nor/);
  });

  it('is what a run with it has to give', () => {
    const agent = new Agent({ model, tools: [buy] });

    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x' }, toolsets: [shop] })).toBeFunction();
    expectTypeOf(() =>
      // @ts-expect-error the agent's deps have no staff
      agent.run('Go.', { deps: { shop: 'x' }, toolsets: [shop.filtered(byStaff)] }),
    ).toBeFunction();
  });

  it('is what a factory needs', () => {
    const shopFor = (ctx: RunContext<Shop>): Toolset<Shop> => toolsetOf(ctx.deps.shop);
    const agent = new Agent({ model, toolsets: [shopFor] });

    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x' } })).toBeFunction();
    // @ts-expect-error the factory needs a shop
    expectTypeOf(() => agent.run('Go.')).toBeFunction();
  });
});

describe('toolsets beside each other', () => {
  const withId = (id: string, ...names: string[]) => new FunctionToolset(names.map(named), { id });

  it('are offered in order: tools, toolsets of the agent, toolsets of the run', async () => {
    const model = scriptedModel(calls('runs'), says('Done.'), says('Done.'));
    const agent = new Agent({
      model,
      tools: [named('own')],
      toolsets: [toolsetOf('agents'), () => toolsetOf('made')],
    });

    const result = await agent.run('Go.', {
      toolsets: [toolsetOf('runs'), () => toolsetOf('late')],
    });
    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([
      ['own', 'agents', 'made', 'runs', 'late'],
      ['own', 'agents', 'made', 'runs', 'late'],
      ['own', 'agents', 'made'],
    ]);
    expect(resultsIn(result.messages)).toEqual(['runs ran']);
  });

  it.each<[string, Toolset, Toolset, string[]]>([
    [
      'by id',
      withId('disk', 'read'),
      withId('cloud', 'read'),
      ["function toolset 'disk'", "function toolset 'cloud'"],
    ],
    [
      'with what was done to them',
      withId('disk', 'read').prefixed('my'),
      withId('cloud', 'my_read').approvalRequired(),
      ["function toolset 'disk', prefixed", "function toolset 'cloud', approvalRequired"],
    ],
    [
      'by kind',
      new ExternalToolset([{ name: 'read' }], { id: 'browser' }),
      new DynamicToolset(() => toolsetOf('read'), { id: 'plugins' }),
      ["external toolset 'browser'", "dynamic toolset 'plugins'"],
    ],
  ])('may not have the same name; the error names both %s', async (_what, one, other, labels) => {
    const model = scriptedModel('unused');

    const error = await rejectionOf(new Agent({ model, toolsets: [one, other] }).run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    for (const label of [...labels, 'read', 'prefixed()']) {
      expect(error).toMatchObject({ message: expect.stringContaining(label) });
    }
    expect(model.calls).toEqual([]);
  });

  it("may not have a name of the agent's own tools, which the error calls the agent's", async () => {
    const agent = new Agent({
      model: scriptedModel('unused'),
      tools: [named('read')],
      toolsets: [withId('disk', 'read')],
    });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining("function toolset 'disk'") });
    expect(error).toMatchObject({ message: expect.stringMatching(/the agent/) });
  });

  it('may have the same name in different steps', async () => {
    const first = toolsetOf('read').filtered(({ runStep }) => runStep === 1);
    const second = toolsetOf('read').filtered(({ runStep }) => runStep === 2);
    const model = scriptedModel(calls('read'), says('Done.'));

    await new Agent({ model, toolsets: [first, second] }).run('Go.');

    expect(offeredTo(model)).toEqual([['read'], ['read']]);
  });

  it('fail with the first error, also when several have one', async () => {
    const broken = (message: string, turns: number): Toolset => ({
      label: message,
      async getTools() {
        for (let turn = 0; turn < turns; turn++) await undefined;
        throw new RangeError(message);
      },
    });
    const toolsets = [broken('first', 9), broken('second', 1)];
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);

    const error = await rejectionOf(new Agent({ model: scriptedModel('x'), toolsets }).run('Go.'));
    await new Promise((resolve) => setTimeout(resolve, 5));

    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
    expect(error).toMatchObject({ message: 'first' });
    expect(unhandled).toEqual([]);
  });
});

describe('the instructions of toolsets', () => {
  const telling = (instructions: string | ((ctx: RunContext) => string | undefined)) =>
    new FunctionToolset([], { instructions });

  it('reach the model after those of agent and run, whatever is around the toolset', async () => {
    const model = scriptedModel(says('Done.'));
    const agent = new Agent({
      model,
      instructions: 'Agent.',
      toolsets: [
        telling('Plain.'),
        new CombinedToolset([telling('Inner.').prefixed('x'), toolsetOf('a')]).approvalRequired(),
        () => telling('Made.'),
      ],
    });

    await agent.run('Go.', { instructions: 'Run.', toolsets: [telling('Runs own.')] });

    expect(model.calls[0]?.instructions?.split('\n\n')).toEqual([
      'Agent.\nRun.',
      'Plain.',
      'Inner.',
      'Made.',
      'Runs own.',
    ]);
  });

  it('are asked for in every step, and may be nothing', async () => {
    const model = scriptedModel(calls('a'), says('Done.'));
    const toolset = telling(({ runStep }) => (runStep === 1 ? 'Look first.' : undefined));

    await new Agent({ model, toolsets: [toolset, toolsetOf('a')] }).run('Go.');

    expect(model.calls.map((call) => call.instructions)).toEqual(['Look first.', undefined]);
  });
});

/** A prepare function that calls all tools something else. */
function ofKind(kind: ToolDefinition['kind']) {
  return (_ctx: RunContext, all: readonly ToolDefinition[]) => all.map((one) => ({ ...one, kind }));
}

/** A change that makes plain functions of all tools, with the public building blocks. */
const asFunctions: ToolChange = {
  name: 'asFunctions',
  perStep: false,
  apply: (tools) =>
    new Map(
      [...tools].map(([name, one]) => [
        name,
        new WrappedTool(one, { ...one.definition, kind: 'function' }),
      ]),
    ),
};

function everyForm(toolset: AbstractToolset): Toolset {
  return toolset
    .prefixed('a')
    .renamed({ b: 'a_remove' })
    .filtered('all')
    .prepared((_ctx, all) => all.map((one) => ({ ...one, description: 'Harmless.' })))
    .withMetadata({ safe: true })
    .deferLoading([])
    .includeReturnSchemas();
}

async function drainSteps(steps: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of steps);
}
