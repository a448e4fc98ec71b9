import { Agent, DynamicToolset, tool } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { LivedToolset, named } from '../../support/toolsets.ts';
import { broken } from '../../support/toolset-lives.ts';

const hanging = tool({ name: 'hanging', execute: never });

describe('a run closes its toolsets', () => {
  const lived = (log: string[]) => [
    new LivedToolset('a', log, { tools: [broken, hanging, named('fine')] }),
    new LivedToolset('b', log),
  ];
  const closings = (log: readonly string[]) => log.filter((line) => line.endsWith('close'));

  it.each<[string, () => Agent]>([
    ['a tool that throws', () => new Agent({ model: scriptedModel(calls('broken')) })],
    ['a model that throws', () => new Agent({ model: scriptedModel(new RangeError('no')) })],
    ['a limit', () => new Agent({ model: scriptedModel('x'), usageLimits: { requestLimit: 0 } })],
    [
      'tools that cannot be had',
      () => new Agent({ model: scriptedModel('x'), tools: [named('use_b')] }),
    ],
    [
      'instructions that throw',
      () =>
        new Agent({ model: scriptedModel('x'), instructions: () => Promise.reject(new Error()) }),
    ],
  ])('after %s', async (_what, makeAgent) => {
    const log: string[] = [];

    await rejectionOf(makeAgent().run('Go.', { toolsets: lived(log) }));

    expect(closings(log)).toEqual(['b close', 'a close']);
  });

  it.each([
    ['before it starts', 'fine', () => AbortSignal.abort(new Error('early'))],
    ['while a tool hangs', 'hanging', () => AbortSignal.timeout(5)],
  ])('when it is aborted %s', async (_what, toolName, signalOf) => {
    const log: string[] = [];
    const toolsets = lived(log);
    const agent = new Agent({ model: scriptedModel(calls(toolName), 'Done.'), toolsets });

    await rejectionOf(agent.run('Go.', { signal: signalOf() }));

    expect(toolsets.map(({ opened }) => opened)).toEqual([0, 0]);
  });

  it('when it is aborted while one of them opens', async () => {
    const controller = new AbortController();
    const opening = latch();
    const slow = new LivedToolset('slow', [], { whenOpening: () => opening.opened });
    const model = scriptedModel('unused');
    const running = new Agent({ model, toolsets: [new LivedToolset('a'), slow] }).run('Go.', {
      signal: controller.signal,
    });

    await settled();
    controller.abort(new Error('enough'));
    opening.open();

    expect(await rejectionOf(running)).toMatchObject({ message: 'enough' });
    expect([slow.timesOpened, slow.opened]).toEqual([1, 0]);
    expect(model.calls).toEqual([]);
  });

  it('when it is aborted while a dynamic one changes from step to step', async () => {
    const controller = new AbortController();
    const opening = latch();
    const other = new LivedToolset('other');
    const first = new LivedToolset('first');
    const second = new LivedToolset('second', [], { whenOpening: () => opening.opened });
    const agent = new Agent({
      model: scriptedModel(calls('use_first'), 'unused'),
      toolsets: [other, new DynamicToolset(({ runStep }) => (runStep === 1 ? first : second))],
    });
    const ended = rejectionOf(agent.run('Go.', { signal: controller.signal }));

    await settled();
    controller.abort(new Error('enough'));
    await settled();
    opening.open();

    expect(await ended).toMatchObject({ message: 'enough' });
    await settled();
    expect([other.opened, first.opened, second.opened]).toEqual([0, 0, 0]);
    expect([other, first, second].map(({ timesOpened }) => timesOpened)).toEqual([1, 1, 1]);
  });

  it('when its stream is left', async () => {
    const log: string[] = [];
    const toolsets = lived(log);
    const agent = new Agent({ model: scriptedModel(calls('fine'), 'Done.'), toolsets });

    for await (const event of agent.stream('Go.')) if (event.kind === 'tool-result') break;

    expect(closings(log)).toEqual(['b close', 'a close']);
  });

  it('when its iterator is left, between steps and within one', async () => {
    const log: string[] = [];
    const toolsets = lived(log);
    const script = () => scriptedModel(calls('hanging'));
    for await (const step of new Agent({ model: script(), toolsets }).iter('Go.')) {
      if (step.kind === 'call-tools') break;
    }
    expect(closings(log)).toEqual(['b close', 'a close']);

    const iterator = new Agent({ model: script(), toolsets }).iter('Go.');
    await iterator.next();
    await iterator.next();
    const hangs = rejectionOf(iterator.next());
    await settled();
    await iterator.return();

    expect(await hangs).toMatchObject({ name: 'AbortError' });
    expect(toolsets.map(({ opened }) => opened)).toEqual([0, 0]);
  });

  it.each([
    ['at once', scriptedModel('unused')],
    ['while the model is still being loaded', 'openai:gpt-5'],
  ])('when its iterator is left %s', async (_when, model) => {
    const [toolset] = lived([]);
    const iterator = new Agent({ model, toolsets: [present(toolset)] }).iter('Go.');

    const first = iterator.next().catch(() => {});
    await iterator.return();
    await first;

    expect(present(toolset).opened).toBe(0);
  });

  it('only after its iterator ended', async () => {
    const [toolset] = lived([]);
    const iterator = new Agent({
      model: scriptedModel('Done.'),
      toolsets: [present(toolset)],
    }).iter('Go.');
    const opened: number[] = [];

    for await (const _ of iterator) opened.push(present(toolset).opened);

    expect(opened).toEqual([1, 1, 1]);
    expect(present(toolset).opened).toBe(0);
  });

  it('and opens none if no event or step is read', async () => {
    const log: string[] = [];
    const agent = new Agent({ model: scriptedModel('x'), toolsets: lived(log) });

    await agent.iter('Go.').return();
    agent.stream('Go.');

    expect(log).toEqual([]);
  });

  it('even if closing one of them fails; the run fails with that error', async () => {
    const fails = new LivedToolset('fails', [], {
      whenClosing: () => Promise.reject(new RangeError('stuck')),
    });
    const [before, after] = [new LivedToolset('before'), new LivedToolset('after')];
    const agent = new Agent({ model: scriptedModel('Done.'), toolsets: [before, fails, after] });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toMatchObject({ message: 'stuck' });
    expect([before.opened, after.opened]).toEqual([0, 0]);
  });

  it('and fails with its own error, not with that of a close', async () => {
    const fails = new LivedToolset('fails', [], {
      whenClosing: () => Promise.reject(new RangeError('stuck')),
    });
    const model = scriptedModel(new Error('The model is down.'));

    const error = await rejectionOf(new Agent({ model, toolsets: [fails] }).run('Go.'));

    expect(error).toMatchObject({ message: 'The model is down.' });
  });
});
