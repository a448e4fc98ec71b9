import {
  Agent,
  CombinedToolset,
  DynamicToolset,
  FunctionToolset,
  inherit,
  type Tool,
  type Toolset,
  tool,
  UserError,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { following, leadAgent, subAgent } from '../../support/sub-agents.ts';
import { delegations } from '../../support/toolset-policies/observe.ts';
import { DelegationLogToolset } from '../../support/toolset-policies/delegation-log-toolset.ts';
import { LivedToolset, named, offeredTo } from '../../support/toolsets.ts';

const messageOf = (error: unknown) => {
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
};

describe('inherit', () => {
  it('rejects a run without a parent, and describes its use', async () => {
    const model = scriptedModel('unused');
    const sub = new Agent({ model, toolsets: [inherit('files')] });

    const message = messageOf(await rejectionOf(sub.run('Go.')));

    expect(message).toContain("inherit('files')");
    expect(message).toContain('asTool()');
    expect(message).toContain('parent: ctx');
    expect(model.calls).toEqual([]);
  });

  it('rejects a run that a tool starts without a parent', async () => {
    const sub = subAgent([], { toolsets: [inherit('files')] });
    const alone = tool({
      name: 'sub',
      inputSchema: z.object({ prompt: z.string() }),
      execute: async ({ prompt }) => (await sub.run(prompt)).output,
    });
    const lead = leadAgent(alone, { toolsets: [new LivedToolset('files')] });

    expect(messageOf(await rejectionOf(lead.run('Go.')))).toContain('parent: ctx');
  });

  it.each<[string, PlainToolsets]>([
    ['it has none', []],
    ['it has others', [new LivedToolset('other'), new FunctionToolset([named('a')])]],
    ['its factory has made nothing', [() => undefined]],
  ])('rejects an id that the parent run does not have: %s', async (_what, toolsets) => {
    const model = scriptedModel('unused');
    const sub = new Agent({ name: 'sub', model, toolsets: [inherit('files')] });

    const message = messageOf(await rejectionOf(leadAgent(sub.asTool(), { toolsets }).run('Go.')));

    expect(message).toContain("`inherit('files')` failed");
    expect(message).toContain('`files`');
    expect(model.calls).toEqual([]);
  });

  it('rejects its use as the result of a factory', async () => {
    const sub = subAgent([], { toolsets: [() => inherit('files', { share: true })] });
    const lead = leadAgent(sub.asTool(), { toolsets: [new LivedToolset('files')] });

    expect(messageOf(await rejectionOf(lead.run('Go.')))).toMatch(/factory|function/);
  });

  it('does not keep an agent from being held open', async () => {
    const sub = subAgent([], { toolsets: [inherit('files')] });
    await using _held = await sub.open();

    const { output } = await leadAgent(sub.asTool(), { toolsets: [new LivedToolset('files')] }).run(
      'Go.',
    );

    expect(output).toBe('Done.');
  });
});

describe.each(delegations)('a toolset inherited with $way', ({ delegate }) => {
  /** Returns the tools that a sub-agent with these toolsets offers to its model. */
  async function offered(lead: PlainToolsets, sub: PlainToolsets): Promise<readonly string[]> {
    const model = scriptedModel('Done.');
    const agent = new Agent<readonly Tool[]>({ name: 'sub', model, toolsets: sub });
    await leadAgent(delegate(agent), { toolsets: lead }).run('Go.');
    return present(offeredTo(model)[0]);
  }

  it('has the transforms of the delegating run', async () => {
    const files = new LivedToolset('files', [], { tools: [named('read'), named('remove')] });

    const names = await offered(
      [files.filtered(['read']).prefixed('disk')],
      [inherit('files').prefixed('my')],
    );

    expect(names).toEqual(['my_disk_read']);
  });

  it('has the transforms of the agents between', async () => {
    const model = scriptedModel('Done.');
    const nested = new Agent<readonly Tool[]>({
      name: 'nested',
      model,
      toolsets: [inherit('files')],
    });
    const sub = subAgent([calls('nested', { prompt: '' })], {
      tools: [delegate(nested)],
      toolsets: [inherit('files').prefixed('b')],
    });
    const files = new LivedToolset('files', [], { tools: [named('read')] });

    await leadAgent(delegate(sub), { toolsets: [files.prefixed('a')] }).run('Go.');

    expect(offeredTo(model)).toEqual([['b_a_read']]);
  });

  it.each<[string, (files: Toolset) => PlainToolsets]>([
    ['a combination', (files) => [new CombinedToolset([files]).prefixed('disk')]],
    ['a factory', (files) => [new DynamicToolset(() => files).prefixed('disk')]],
    [
      'a factory for the run',
      (files) => [new DynamicToolset(() => files, { perRunStep: false }).prefixed('disk')],
    ],
    [
      'a factory with the id',
      (files) => [new DynamicToolset(() => files, { id: 'files' }).prefixed('disk')],
    ],
  ])('has the transforms around %s that contains it', async (_what, compose) => {
    const files = new LivedToolset('files', [], { tools: [named('read')] });

    expect(await offered(compose(files), [inherit('files')])).toEqual(['disk_read']);
  });

  it('sends the instructions of its toolset to the model as in the parent run', async () => {
    const files = new FunctionToolset<{ user: string }>([], {
      id: 'files',
      instructions: (ctx) => `The files are those of ${ctx.deps.user}.`,
    });
    const model = scriptedModel('Done.');
    const sub = new Agent<readonly Tool[]>({ name: 'sub', model, toolsets: [inherit('files')] });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [delegate(sub)],
      toolsets: [files],
    });

    await lead.run('Go.', { deps: { user: 'Ada' } });

    expect(model.calls[0]?.instructions).toBe('The files are those of Ada.');
  });

  it('keeps hidden tools hidden until the sub-agent finds them', async () => {
    const files = new LivedToolset('files', [], { tools: [named('read')] });
    const model = scriptedModel(
      calls('search_tools', { queries: ['read'] }),
      calls('read'),
      'Done.',
    );
    const sub = new Agent<readonly Tool[]>({ name: 'sub', model, toolsets: [inherit('files')] });

    await leadAgent(delegate(sub), { toolsets: [files.deferLoading()] }).run('Go.');

    expect(offeredTo(model)).toEqual([
      ['search_tools'],
      ['read', 'search_tools'],
      ['read', 'search_tools'],
    ]);
  });

  it('is the current instance: a factory is not called again for the sub-agent', async () => {
    const requested: string[] = [];
    const factory = new DynamicToolset(
      (ctx) => {
        requested.push(`${ctx.agent.name} ${ctx.runStep}`);
        return new LivedToolset('files', [], { tools: [named('read')] });
      },
      { id: 'files' },
    );
    const sub = subAgent([calls('read'), calls('read')], { toolsets: [inherit('files')] });

    await leadAgent(delegate(sub), { toolsets: [factory] }).run('Go.');

    expect(requested).toEqual(['lead 1', 'lead 2']);
  });

  it('is the current instance also if the factory is transformed', async () => {
    const requested: string[] = [];
    const made: LivedToolset[] = [];
    const factory = new DynamicToolset(
      (ctx) => {
        requested.push(`${ctx.agent.name} ${ctx.runStep}`);
        made.push(new LivedToolset('files', [], { tools: [named('read')] }));
        return present(made.at(-1));
      },
      { id: 'files' },
    );
    const opened: number[][] = [];
    const look = tool({
      name: 'look',
      execute: () => void opened.push(made.map((one) => one.opened)),
    });
    const sub = subAgent([calls('x_read'), calls('look')], {
      tools: [look],
      toolsets: [inherit('files', { share: true })],
    });

    await leadAgent(delegate(sub), { toolsets: [factory.prefixed('x')] }).run('Go.');

    expect(requested).toEqual(['lead 1', 'lead 2']);
    expect(opened).toEqual([[1]]);
  });

  it('is the result of the toolset inside a wrapped factory', async () => {
    const copy = new LivedToolset('files', [], { tools: [named('copied')] });
    const files = new DelegationLogToolset('files', [], { forSubAgent: () => copy });
    const lead = new DynamicToolset(() => files, { id: 'files', perRunStep: false }).prefixed('x');

    expect(await offered([lead], [inherit('files')])).toEqual(['x_copied']);
  });

  it('does not call forRun again', async () => {
    const log: string[] = [];
    const files = new LivedToolset('files', log);

    await leadAgent(delegate(subAgent([], { toolsets: [inherit('files')] })), {
      toolsets: [files],
    }).run('Go.');

    expect(log.filter((line) => line.endsWith('forRun'))).toEqual(['files forRun']);
  });
});
