import {
  Agent,
  DeferredToolRequests,
  FunctionToolset,
  type RunContext,
  type ToolDefinition,
  type Toolset,
  ModelRetry,
  tool,
  UserError,
} from 'holdpoint';
import { prepareTools } from 'holdpoint/capabilities';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { drain, rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { named, offeredTo, toolsetOf } from '../../support/toolsets.ts';
import { runWith } from '../../support/toolset-runs.ts';
import { untyped } from '../../support/untyped.ts';

describe('prefixed', () => {
  it('adds the prefix to each name; the tool itself keeps its own', async () => {
    const { offered, results, result } = await runWith(
      toolsetOf('read', 'list').prefixed('disk'),
      'disk_read',
    );

    expect(offered[0]).toEqual(['disk_read', 'disk_list']);
    expect(results).toEqual(['read ran']);
    expect(result.messages[2]?.parts).toMatchObject([{ toolName: 'disk_read' }]);
  });

  it('offers nothing under the old name', async () => {
    const { results } = await runWith(toolsetOf('read').prefixed('disk'), 'read');

    expect(results).toEqual(['retry read']);
  });

  it('gives the functions of a tool the inner name, and its validator the name that the model knows', async () => {
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

    expect(seen).toEqual(['validate a_b_read', 'approval read', 'execute read']);
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

  it('reports the outer name after too many retries', async () => {
    const broken = tool({ name: 'broken', execute: () => Promise.reject(new ModelRetry('No.')) });

    const error = await rejectionOf(
      runWith(new FunctionToolset([broken]).prefixed('my'), 'my_broken', 'my_broken'),
    );

    expect(error).toMatchObject({ message: expect.stringContaining('`my_broken`') });
  });
});

describe('renamed', () => {
  it('gives tools new names, and keeps the others and their order', async () => {
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
    ['a tool that is there', { a: 'b' }, '`a`'],
    ['a tool that comes later', { c: 'a' }, '`c`'],
  ])('rejects the name of %s', async (_what, names, mention) => {
    const error = await rejectionOf(runWith(toolsetOf('a', 'b', 'c').renamed(names)));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining(mention) });
  });

  it('ignores missing tools', async () => {
    const { offered } = await runWith(toolsetOf('a').renamed({ x: 'missing' }));

    expect(offered[0]).toEqual(['a']);
  });

  it('accepts names of object members', async () => {
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
  ])('keeps the tools selected by %s', async (_what, selector, expected) => {
    const { offered } = await runWith(rooms().filtered(selector));

    expect(offered[0]).toEqual(expected);
  });

  it('calls a predicate in every step, also an async one', async () => {
    const filtered: string[] = [];
    const toolset = rooms().filtered(async ({ runStep }, { name }) => {
      filtered.push(`${runStep} ${name}`);
      await undefined;
      return name !== 'b' || runStep === 2;
    });

    const { offered } = await runWith(toolset, 'a', 'a');

    expect(offered).toEqual([
      ['a', 'c'],
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
    expect(filtered).toEqual(['1 a', '1 b', '1 c', '2 a', '2 b', '2 c', '3 a', '3 b', '3 c']);
  });

  it('makes the removed tools unknown: they do not execute', async () => {
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
    [
      'adds a tool',
      (all: readonly ToolDefinition[]) => [...all, { ...present(all[0]), name: 'new' }],
    ],
    ['renames a tool', (all: readonly ToolDefinition[]) => [{ ...present(all[0]), name: 'new' }]],
  ])('rejects a function that %s', async (_what, prepare) => {
    const error = await rejectionOf(
      runWith(toolsetOf('a').prepared((_ctx, definitions) => prepare(definitions))),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(/`new`.*renamed/) });
  });

  it.each([null, undefined, {}])('rejects a function that returns %s', async (returned) => {
    const toolset = toolsetOf('a').prepared(() => untyped(returned));

    expect(await rejectionOf(runWith(toolset))).toBeInstanceOf(UserError);
  });

  it('fails the run with the error of the function; the request is in the history', async () => {
    const model = scriptedModel('unused');
    const broken = toolsetOf('a').prepared(() => Promise.reject(new RangeError('broken')));
    const iterator = new Agent({ model, toolsets: [broken] }).iter('Go.');

    await expect(drain(iterator)).rejects.toThrow(RangeError);

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

  it('as a capability receives all tools', async () => {
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

  it('overrides the metadata of the tools', async () => {
    expect(await metadataIn(toolset().withMetadata({ by: 'form' }))).toEqual([
      { by: 'form', own: 1, low: 2 },
      { by: 'form', low: 2 },
    ]);
  });

  it('applies to the selected tools, and can be selected by', async () => {
    expect(await metadataIn(toolset().withMetadata({ x: 1 }, ['b']))).toEqual([
      { by: 'tool', own: 1, low: 2 },
      { by: 'toolset', low: 2, x: 1 },
    ]);
    expect(await metadataIn(toolset().withMetadata({ x: 1 }, ['b']).filtered({ x: 1 }))).toEqual([
      { by: 'toolset', low: 2, x: 1 },
    ]);
  });

  it('is visible to the policy of the agent', async () => {
    const agent = new Agent({
      model: scriptedModel(responds(calls('a'), calls('b'))),
      toolsets: [toolset().withMetadata({ writes: true }, ['b'])],
      approvalPolicy: (_ctx, { metadata }) => metadata?.['writes'] === true,
      output: [String, DeferredToolRequests],
    });

    const parked = await expectParked(agent.run('Go.'));

    expect(parked.output.approvals).toMatchObject([{ toolName: 'b' }]);
  });
});

describe('deferLoading', () => {
  it('hides the selected tools until the model searches for them', async () => {
    const { offered } = await runWith(toolsetOf('a', 'b').deferLoading(['b']), 'a');

    expect(offered[0]).toEqual(['a', 'search_tools']);
  });

  it('calls a predicate in every step', async () => {
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

describe('a model', () => {
  it.each([
    [true, { type: 'number' }],
    [false, undefined],
    [undefined, undefined],
  ])(
    'gets the return schema of a tool with includeReturnSchema: %s as %j',
    async (include, schema) => {
      const count = tool({
        name: 'count',
        outputSchema: z.number(),
        includeReturnSchema: include,
        execute: () => 1,
      });
      const toolset = new FunctionToolset([count]);

      const { model } = await runWith(toolset);

      expect(model.calls[0]?.functionTools).toHaveLength(1);
      const given = model.calls[0]?.functionTools[0]?.returnSchema;
      if (schema === undefined) expect(given).toBeUndefined();
      else expect(given).toMatchObject(schema);
      // The tool itself still has it, for signatures and policies.
      expect(count.definitionAs('count').returnSchema).toMatchObject({ type: 'number' });
    },
  );
});

describe('includeReturnSchemas', () => {
  const counting = (name: string, includeReturnSchema?: boolean) =>
    tool({ name, outputSchema: z.number(), includeReturnSchema, execute: () => 1 });

  it('sends the return schemas of the tools to the model, unless they opt out', async () => {
    const toolset = new FunctionToolset([counting('a'), counting('b', false), counting('c')]);

    const { model } = await runWith(toolset.includeReturnSchemas(['a', 'b']));

    expect(model.calls[0]?.functionTools).toMatchObject([
      { includeReturnSchema: true, returnSchema: { type: 'number' } },
      { includeReturnSchema: false },
      { includeReturnSchema: undefined },
    ]);
  });
});
