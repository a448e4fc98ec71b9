import {
  Agent,
  CombinedToolset,
  DynamicToolset,
  ExternalToolset,
  FunctionToolset,
  type RunContext,
  type Toolset,
  UserError,
} from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../support/latch.ts';
import { named, offeredTo, resultsIn, toolsetOf } from '../../support/toolsets.ts';
import { runWith } from '../../support/toolset-runs.ts';

describe('a chain of transforms', () => {
  it('applies from the inside to the outside', async () => {
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

  it('does not change the original toolset', async () => {
    const base = toolsetOf('read');
    base.prefixed('a').approvalRequired();

    const { offered, results } = await runWith(base, 'read');

    expect(offered[0]).toEqual(['read']);
    expect(results).toEqual(['read ran']);
  });

  it('includes tools that are added later', async () => {
    const base = toolsetOf('first');
    const model = scriptedModel(says('One.'), says('Two.'));
    const agent = new Agent({ model, toolsets: [base.prefixed('my').withMetadata({ x: 1 })] });

    await agent.run('Go.');
    base.add(named('second'));
    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([['my_first'], ['my_first', 'my_second']]);
  });
});

describe('several toolsets', () => {
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

  it('may not have the name of a tool of the agent, and the error names the agent', async () => {
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
  const instructing = (instructions: string | ((ctx: RunContext) => string | undefined)) =>
    new FunctionToolset([], { instructions });

  it('reach the model after those of agent and run, through any wrapper of the toolset', async () => {
    const model = scriptedModel(says('Done.'));
    const agent = new Agent({
      model,
      instructions: 'Agent.',
      toolsets: [
        instructing('Plain.'),
        new CombinedToolset([
          instructing('Inner.').prefixed('x'),
          toolsetOf('a'),
        ]).approvalRequired(),
        () => instructing('Made.'),
      ],
    });

    await agent.run('Go.', { instructions: 'Run.', toolsets: [instructing('Runs own.')] });

    expect(model.calls[0]?.instructions?.split('\n\n')).toEqual([
      'Agent.\nRun.',
      'Plain.',
      'Inner.',
      'Made.',
      'Runs own.',
    ]);
  });

  it('are read in every step, and may be empty', async () => {
    const model = scriptedModel(calls('a'), says('Done.'));
    const toolset = instructing(({ runStep }) => (runStep === 2 ? 'Look again.' : undefined));

    await new Agent({ model, toolsets: [toolset, toolsetOf('a')] }).run('Go.');

    expect(model.calls.map((call) => call.instructions)).toEqual([undefined, 'Look again.']);
  });
});
