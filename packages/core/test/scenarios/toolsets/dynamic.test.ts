import { Agent, DynamicToolset, type Toolset, tool } from 'holdpoint';
import type { ToolsetFactory } from 'holdpoint/toolsets';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { latch, rejectionOf, settled } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { LivedToolset, offeredTo, toolsetOf } from '../../support/toolsets.ts';
import { callOnce } from '../../support/toolset-lives.ts';

describe('a dynamic toolset', () => {
  it('is created for each step: the new one is opened, the previous one closed', async () => {
    const log: string[] = [];
    const steps = ['one', 'two'].map((id) => new LivedToolset(id, log));
    const model = scriptedModel(calls('use_one'), calls('use_two'), says('Done.'));
    const toolset = new DynamicToolset(({ runStep }) => steps[runStep - 1]);

    await new Agent({ model, toolsets: [toolset] }).run('Go.');

    expect(offeredTo(model)).toEqual([['use_one'], ['use_two'], []]);
    // The result of a factory is used unchanged; its `forRun` is not called.
    expect(log).toEqual([
      'one open',
      'one getTools 1',
      'one close',
      'two open',
      'two getTools 2',
      'two close',
    ]);
  });

  it('stays open if the factory returns the same one again', async () => {
    const log: string[] = [];
    const same = new LivedToolset('same', log);

    await new Agent({
      model: callOnce('use_same'),
      toolsets: [
        new DynamicToolset(async () => same).prefixed('x').renamed({ use_same: 'x_use_same' }),
      ],
    }).run('Go.');

    expect(log).toEqual(['same open', 'same getTools 1', 'same getTools 2', 'same close']);
  });

  it.each<[string, (factory: () => Toolset) => DynamicToolset | (() => Toolset)]>([
    ['that says so', (factory) => new DynamicToolset(factory, { perRunStep: false })],
    ['that is a function among the toolsets', (factory) => factory],
  ])('is created once for each run: one %s', async (_what, entry) => {
    const made: LivedToolset[] = [];
    const factory = () => {
      made.push(new LivedToolset('fresh'));
      return present(made.at(-1));
    };
    const agent = new Agent({ model: callOnce('use_fresh'), toolsets: [entry(factory)] });

    await agent.run('Go.');
    await Promise.all([agent.run('Go.'), agent.run('Go.', { toolsets: [] })]);

    expect(made.map((one) => [one.timesOpened, one.opened])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
  });

  it('receives the context of the run', async () => {
    const model = scriptedModel('Done.', 'Done.');
    const forAdmins: ToolsetFactory<{ admin: boolean }> = ({ deps }) =>
      deps.admin ? toolsetOf('root') : null;
    const agent = new Agent({ model, toolsets: [forAdmins] });

    await agent.run('Go.', { deps: { admin: true } });
    await agent.run('Go.', { deps: { admin: false } });

    expect(offeredTo(model)).toEqual([['root'], []]);
  });

  it.each([null, undefined])('may be absent: %s', async (nothing) => {
    const model = scriptedModel('Done.');

    await new Agent({ model, toolsets: [() => nothing, toolsetOf('a')] }).run('Go.');

    expect(offeredTo(model)).toEqual([['a']]);
  });

  it('fails the run if its factory fails, or its toolset does not open', async () => {
    const other = new LivedToolset('other');
    const bad = new LivedToolset('bad', [], {
      whenOpening: () => Promise.reject(new Error('shut')),
    });
    const factories = [() => Promise.reject(new Error('no factory')), () => bad];

    for (const perRunStep of [true, false]) {
      const errors = factories.map((factory) => {
        const toolsets = [other, new DynamicToolset(factory, { perRunStep })];
        return rejectionOf(new Agent({ model: scriptedModel('x'), toolsets }).run('Go.'));
      });
      expect(await Promise.all(errors)).toMatchObject([
        { message: 'no factory' },
        { message: 'shut' },
      ]);
    }

    expect([other.opened, bad.opened]).toEqual([0, 0]);
  });

  it('is separate in concurrent runs', async () => {
    const made: string[] = [];
    const gate = latch();
    const meet = tool({ name: 'meet', execute: () => gate.opened });
    const toolset = new DynamicToolset(({ runId, runStep }) => {
      made.push(`${runId} ${runStep}`);
      return new LivedToolset('x', [], { tools: [meet] });
    });
    const agent = new Agent({ model: callOnce('meet'), toolsets: [toolset] });

    const runs = ['a', 'b'].map((runId) => agent.run('Go.', { runId }));
    await settled();
    gate.open();
    const results = await Promise.all(runs);

    expect(results.map(({ output }) => output)).toEqual(['Done.', 'Done.']);
    expect(made.toSorted()).toEqual(['a 1', 'a 2', 'b 1', 'b 2']);
  });
});
