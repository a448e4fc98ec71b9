import { Agent, DynamicToolset } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { latch, rejectionOf, settled } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { LivedToolset } from '../../support/toolsets.ts';
import { broken } from '../../support/toolset-lives.ts';

describe('a toolset that several runs share', () => {
  it('is opened for the first and closed after the last', async () => {
    const shared = new LivedToolset('shared');
    const gates = [latch(), latch(), latch()];
    const models = gates.map(({ opened }) =>
      scriptedModel(async () => {
        await opened;
        return 'Done.';
      }),
    );
    const one = new Agent({ toolsets: [shared.prefixed('a')] });
    const other = new Agent({ toolsets: [shared.prefixed('b'), shared.prefixed('c')] });
    const runs = [one, other, one].map((agent, at) => agent.run('Go.', { model: models[at] }));
    await settled();
    expect([shared.timesOpened, shared.opened]).toEqual([1, 1]);

    present(gates[0]).open();
    present(gates[1]).open();
    await Promise.all(runs.slice(0, 2));
    expect(shared.opened).toBe(1);

    present(gates[2]).open();
    await Promise.all(runs);
    expect([shared.timesOpened, shared.opened]).toEqual([1, 0]);
  });

  it('is awaited by all runs while it opens', async () => {
    const opening = latch();
    const shared = new LivedToolset('shared', [], { whenOpening: () => opening.opened });
    const model = scriptedModel('One.', 'Two.');
    const agent = new Agent({ model, toolsets: [shared] });

    const runs = [agent.run('Go.'), agent.run('Go.')];
    await settled();
    expect(model.calls).toEqual([]);
    opening.open();
    await Promise.all(runs);

    expect(shared.timesOpened).toBe(1);
  });

  it('is opened again only when it is closed', async () => {
    const log: string[] = [];
    const closing = latch();
    const shared = new LivedToolset('shared', log, {
      async whenClosing() {
        await closing.opened;
        log.push('closed');
      },
    });
    const agent = new Agent({ model: scriptedModel('One.', 'Two.'), toolsets: [shared] });

    const first = agent.run('Go.');
    await settled();
    const second = agent.run('Go.');
    await settled();
    closing.open();
    await Promise.all([first, second]);

    expect(log.filter((line) => /open|close/.test(line))).toEqual([
      'shared open',
      'shared close',
      'closed',
      'shared open',
      'shared close',
      'closed',
    ]);
  });

  it('is opened again after a close that failed', async () => {
    let closings = 0;
    const shared = new LivedToolset('shared', [], {
      whenClosing() {
        closings += 1;
        if (closings === 1) throw new Error('stuck');
      },
    });
    const agent = new Agent({ model: scriptedModel('One.', 'Two.'), toolsets: [shared] });

    await rejectionOf(agent.run('Go.'));
    const { output } = await agent.run('Go.');

    expect(output).toBe('Two.');
    expect([shared.timesOpened, shared.opened]).toEqual([2, 0]);
  });
});

describe('an agent that is held open', () => {
  it('keeps its toolsets open across runs', async () => {
    const log: string[] = [];
    const toolsets = [new LivedToolset('a', log), new LivedToolset('b', log)];
    const agent = new Agent({ model: scriptedModel('One.', 'Two.'), toolsets });

    {
      await using _held = await agent.open();
      await agent.run('Go.');
      await agent.run('Go.');
      expect(toolsets.map(({ opened }) => opened)).toEqual([1, 1]);
    }

    expect(log.filter((line) => /open|close/.test(line))).toEqual([
      'a open',
      'b open',
      'b close',
      'a close',
    ]);
  });

  it('can be held by several callers, nested or not', async () => {
    const shared = new LivedToolset('shared');
    const agent = new Agent({ model: scriptedModel('Done.'), toolsets: [shared] });
    const first = await agent.open();
    {
      await using _second = await agent.open();
      await agent.run('Go.');
      await first[Symbol.asyncDispose]();
      expect(shared.opened).toBe(1);
    }

    expect([shared.timesOpened, shared.opened]).toEqual([1, 0]);
  });

  it.each([
    ['one after the other', false],
    ['at once', true],
  ])('is released once by each, however often it is disposed of: %s', async (_what, atOnce) => {
    const shared = new LivedToolset('shared');
    const agent = new Agent({ model: scriptedModel(), toolsets: [shared] });
    const first = await agent.open();
    await using _second = await agent.open();

    const disposing = first[Symbol.asyncDispose]();
    if (!atOnce) await disposing;
    await Promise.all([disposing, first[Symbol.asyncDispose]()]);

    expect(shared.opened).toBe(1);
  });

  it('stays open until the last run ends', async () => {
    const gate = latch();
    const shared = new LivedToolset('shared');
    const model = scriptedModel(async () => {
      await gate.opened;
      return 'Done.';
    });
    const agent = new Agent({ model, toolsets: [shared] });
    const held = await agent.open();
    const running = agent.run('Go.');
    await settled();

    await held[Symbol.asyncDispose]();
    expect(shared.opened).toBe(1);
    gate.open();
    await running;

    expect([shared.timesOpened, shared.opened]).toEqual([1, 0]);
  });

  it('stays open when runs fail', async () => {
    const shared = new LivedToolset('shared', [], { tools: [broken] });
    const agent = new Agent({ model: scriptedModel(calls('broken'), 'Done.'), toolsets: [shared] });

    await using _held = await agent.open();
    await rejectionOf(agent.run('Go.'));
    await agent.run('Go.');

    expect([shared.timesOpened, shared.opened]).toEqual([1, 1]);
  });

  it('does not hold toolsets that are created for a run or passed to it', async () => {
    const made = new LivedToolset('made');
    const given = new LivedToolset('given');
    const agent = new Agent({
      model: scriptedModel('One.', 'Two.'),
      toolsets: [new DynamicToolset(() => made, { perRunStep: false })],
    });

    await using _held = await agent.open();
    for (let round = 0; round < 2; round++) await agent.run('Go.', { toolsets: [given] });

    expect([made.timesOpened, made.opened]).toEqual([2, 0]);
    expect([given.timesOpened, given.opened]).toEqual([2, 0]);
  });

  it('is not held if one of its toolsets does not open', async () => {
    const log: string[] = [];
    let attempts = 0;
    const flaky = new LivedToolset('flaky', log, {
      whenOpening() {
        attempts += 1;
        if (attempts === 1) throw new Error('no connection');
      },
    });
    const first = new LivedToolset('first', log);
    const agent = new Agent({ model: scriptedModel(), toolsets: [first, flaky] });

    await expect(agent.open()).rejects.toThrow('no connection');
    expect([first.opened, flaky.opened]).toEqual([0, 0]);
    await using _held = await agent.open();

    expect([first.opened, flaky.opened]).toEqual([1, 1]);
  });
});
