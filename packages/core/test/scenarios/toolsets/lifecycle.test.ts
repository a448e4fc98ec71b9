import { Agent, CombinedToolset, DeferredToolRequests, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf, settled } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { LivedToolset, offeredTo } from '../../support/toolsets.ts';
import { callOnce } from '../../support/toolset-lives.ts';

describe('the lifecycle of a toolset in a run', () => {
  it('is forRun, open, then forRunStep and getTools in each step, and close', async () => {
    const log: string[] = [];
    const toolsets = [new LivedToolset('a', log), new LivedToolset('b', log)];

    await new Agent({ model: callOnce('use_a'), toolsets }).run('Go.');

    expect(log).toEqual([
      'a forRun',
      'b forRun',
      'a open',
      'b open',
      'a forRunStep 1',
      'b forRunStep 1',
      'a getTools 1',
      'b getTools 1',
      'a forRunStep 2',
      'b forRunStep 2',
      'a getTools 2',
      'b getTools 2',
      'b close',
      'a close',
    ]);
  });

  it('is the same inside other toolsets, and toolsets of the run come last', async () => {
    const log: string[] = [];
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => new LivedToolset(id, log));
    const inner = new CombinedToolset([
      present(b).prefixed('x'),
      present(c).approvalRequired(() => false),
    ]);
    const agent = new Agent({
      model: scriptedModel('Done.'),
      toolsets: [present(a), inner.filtered('all')],
    });

    await agent.run('Go.', { toolsets: [present(d)] });

    expect(log.filter((line) => /open|close/.test(line))).toEqual([
      'a open',
      'b open',
      'c open',
      'd open',
      'd close',
      'c close',
      'b close',
      'a close',
    ]);
  });

  it('starts again in a second run when the first run parked', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('a', log, {
      tools: [tool({ name: 'wait', requiresApproval: true, execute: () => 'ran' })],
    });
    const agent = new Agent({
      model: scriptedModel(calls('wait'), says('Done.')),
      toolsets: [toolset],
      output: [String, DeferredToolRequests],
    });

    const parked = await expectParked(agent.run('Go.'));
    expect(toolset.opened).toBe(0);
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(log.filter((line) => !line.includes('getTools'))).toEqual([
      'a forRun',
      'a open',
      'a forRunStep 1',
      'a close',
      'a forRun',
      'a open',
      'a forRunStep 0',
      'a forRunStep 1',
      'a close',
    ]);
  });

  it('uses the result of forRunStep in a step, and calls it again on that result', async () => {
    const log: string[] = [];
    const second = new LivedToolset('second', log);
    const first: LivedToolset = new LivedToolset('first', log, {
      forRunStep: ({ runStep }) => (runStep === 2 ? second : first),
    });
    const model = scriptedModel(calls('use_first'), calls('use_second'), says('Done.'));

    await new Agent({ model, toolsets: [first] }).run('Go.');

    expect(offeredTo(model)).toEqual([['use_first'], ['use_second'], ['use_second']]);
    expect(log.filter((line) => /forRunStep|open|close/.test(line))).toEqual([
      'first open',
      'first forRunStep 1',
      'first forRunStep 2',
      'second forRunStep 3',
      'first close',
    ]);
  });

  it('uses, opens and closes the result of forRun in a run', async () => {
    const made: LivedToolset[] = [];
    const toolset = new LivedToolset('pattern', [], {
      forRun: () => {
        made.push(new LivedToolset(`made_${made.length}`));
        return present(made.at(-1));
      },
    });
    const agent = new Agent({ model: scriptedModel('One.', 'Two.'), toolsets: [toolset] });

    await Promise.all([agent.run('Go.'), agent.run('Go.')]);

    expect(made.map((one) => [one.timesOpened, one.opened])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(toolset.timesOpened).toBe(0);
  });
});

describe('a toolset that does not open', () => {
  const failing = (log: string[]) =>
    new LivedToolset('bad', log, { whenOpening: () => Promise.reject(new Error('no connection')) });

  it('closes those before it, in reverse order; no model request is sent', async () => {
    const log: string[] = [];
    const model = scriptedModel('unused');
    const toolsets = [
      new LivedToolset('a', log),
      new CombinedToolset([new LivedToolset('b', log), failing(log), new LivedToolset('c', log)]),
      new LivedToolset('d', log),
    ];

    const error = await rejectionOf(new Agent({ model, toolsets }).run('Go.'));

    expect(error).toMatchObject({ message: 'no connection' });
    expect(log.filter((line) => !line.includes('forRun'))).toEqual([
      'a open',
      'b open',
      'bad open',
      'b close',
      'a close',
    ]);
    expect(model.calls).toEqual([]);
  });

  it('fails the run with its error, even if closing another one fails too', async () => {
    const stuck = new LivedToolset('stuck', [], {
      whenClosing: () => Promise.reject(new RangeError('stuck')),
    });
    const agent = new Agent({ model: scriptedModel('x'), toolsets: [stuck, failing([])] });

    expect(await rejectionOf(agent.run('Go.'))).toMatchObject({ message: 'no connection' });
  });

  it('fails every run that awaits it, and is opened again by the next run', async () => {
    let attempts = 0;
    const flaky = new LivedToolset('flaky', [], {
      async whenOpening() {
        await settled();
        attempts += 1;
        if (attempts === 1) throw new Error('no connection');
      },
    });
    const agent = new Agent({ model: scriptedModel('Done.'), toolsets: [flaky] });

    const ends = await Promise.allSettled([agent.run('Go.'), agent.run('Go.')]);
    const { output } = await agent.run('Go.');

    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(output).toBe('Done.');
    expect([attempts, flaky.opened]).toEqual([2, 0]);
  });

  it('does not close toolsets that other runs hold open', async () => {
    const shared = new LivedToolset('shared');
    const pattern = new LivedToolset('pattern', [], { forRun: () => failing([]) });
    const agent = new Agent({
      model: scriptedModel('x'),
      toolsets: [new CombinedToolset([pattern, shared])],
    });

    await using _held = await agent.open();
    await rejectionOf(agent.run('Go.'));

    expect(shared.opened).toBe(1);
  });
});
