import {
  type AbstractToolset,
  Agent,
  DeferredToolRequests,
  ExternalToolset,
  FunctionToolset,
  type RunContext,
  tool,
  type ToolDefinition,
  type Toolset,
} from 'holdpoint';
import { type ToolChange, WrappedTool } from 'holdpoint/toolsets';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';

describe('approvalRequired', () => {
  const paths = z.object({ path: z.string() });
  /** A tool that records its executions. */
  const remove = (ran: string[], requiresApproval = false) =>
    tool({
      name: 'remove',
      inputSchema: paths,
      requiresApproval,
      execute: ({ path }) => void ran.push(path),
    });
  const output = [String, DeferredToolRequests] as const;

  it('requires approval for every call', async () => {
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

  it('calls the policy with validated arguments and the names of its own level', async () => {
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
        responds(
          calls('my_disk_remove', { path: '/etc/a' }, { id: 'etc' }),
          calls('my_disk_remove', '{"path":"/drafts/b"}'),
          calls('my_disk_remove', { path: 7 }),
        ),
      ),
      toolsets: [toolset],
      output,
    });

    const parked = await expectParked(agent.run('Go.', { deps: { root: '/etc' } }));

    expect(seen).toEqual([
      ['disk_remove', 'disk_remove', { path: '/etc/a' }],
      ['disk_remove', 'disk_remove', { path: '/drafts/b' }],
    ]);
    expect(parked.output.approvals).toMatchObject([{ toolCallId: 'etc' }]);
    expect(parked.output.metadata).toEqual({});
    expect(ran).toEqual(['/drafts/b']);
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
    // The call is pending; it accepts an approval or a result.
    expect(result).toMatchObject({ status: 'parked' });
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

  it('fails the run with the error of the policy; the tool does not execute', async () => {
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

/** A prepare function that renames all tools. */
function ofKind(kind: ToolDefinition['kind']) {
  return (_ctx: RunContext, all: readonly ToolDefinition[]) => all.map((one) => ({ ...one, kind }));
}

/** A transform that sets the kind of all tools to `function`, with the public API. */
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
