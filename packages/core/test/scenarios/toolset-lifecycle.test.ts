import {
  Agent,
  CombinedToolset,
  DeferredToolRequests,
  DynamicToolset,
  type Toolset,
  type ToolsetFactory,
  tool,
} from 'holdpoint';
import { calls, functionModel, says, scriptedModel, seededRandom } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { latch, never, rejectionOf, settled } from '../support/latch.ts';
import { LivedToolset, named, offeredTo, toolsetOf } from '../support/toolsets.ts';

/** A model that calls a tool and then is done, as often as it is asked. */
const callOnce = (toolName: string) =>
  functionModel(({ messages }) =>
    messages.at(-1)?.parts.some((part) => part.kind === 'tool-return')
      ? says('Done.')
      : calls(toolName),
  );

const broken = tool({ name: 'broken', execute: () => Promise.reject(new RangeError('broken')) });
const hanging = tool({ name: 'hanging', execute: never });

describe('the life of a toolset in a run', () => {
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

  it('is the same inside of other toolsets, and those of the run come last', async () => {
    const log: string[] = [];
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => new LivedToolset(id, log));
    const inner = new CombinedToolset([b!.prefixed('x'), c!.approvalRequired(() => false)]);
    const agent = new Agent({
      model: scriptedModel('Done.'),
      toolsets: [a!, inner.filtered('all')],
    });

    await agent.run('Go.', { toolsets: [d!] });

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

  it('goes on in a second run when the first is parked', async () => {
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

  it('uses in a step what forRunStep gives; that is asked for the next one', async () => {
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

  it('uses in a run what forRun gives, and opens and closes that', async () => {
    const made: LivedToolset[] = [];
    const toolset = new LivedToolset('pattern', [], {
      forRun: () => {
        made.push(new LivedToolset(`made_${made.length}`));
        return made.at(-1)!;
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
    const iterator = new Agent({ model, toolsets: [toolset!] }).iter('Go.');

    const first = iterator.next().catch(() => {});
    await iterator.return();
    await first;

    expect(toolset!.opened).toBe(0);
  });

  it('not before its iterator has come to its end', async () => {
    const [toolset] = lived([]);
    const iterator = new Agent({ model: scriptedModel('Done.'), toolsets: [toolset!] }).iter('Go.');
    const opened: number[] = [];

    for await (const _ of iterator) opened.push(toolset!.opened);

    expect(opened).toEqual([1, 1, 1]);
    expect(toolset!.opened).toBe(0);
  });

  it('never opens them when nobody asks for its first event or step', async () => {
    const log: string[] = [];
    const agent = new Agent({ model: scriptedModel('x'), toolsets: lived(log) });

    await agent.iter('Go.').return();
    agent.stream('Go.');

    expect(log).toEqual([]);
  });

  it('also when closing one of them fails; the run fails with that', async () => {
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

describe('a toolset that does not open', () => {
  const failing = (log: string[]) =>
    new LivedToolset('bad', log, { whenOpening: () => Promise.reject(new Error('no connection')) });

  it('closes those before it, in reverse order; the model is not asked', async () => {
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

  it('is what the run fails with, also when closing another one fails too', async () => {
    const stuck = new LivedToolset('stuck', [], {
      whenClosing: () => Promise.reject(new RangeError('stuck')),
    });
    const agent = new Agent({ model: scriptedModel('x'), toolsets: [stuck, failing([])] });

    expect(await rejectionOf(agent.run('Go.'))).toMatchObject({ message: 'no connection' });
  });

  it('fails every run that waits for it, and is tried again by the next', async () => {
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

  it('does not close what others hold open', async () => {
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

    gates[0]!.open();
    gates[1]!.open();
    await Promise.all(runs.slice(0, 2));
    expect(shared.opened).toBe(1);

    gates[2]!.open();
    await Promise.all(runs);
    expect([shared.timesOpened, shared.opened]).toEqual([1, 0]);
  });

  it('is waited for by all of them while it opens', async () => {
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

  it('can be held by several, one inside of the other or not', async () => {
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
  ])('is let go of once by each, however often it is disposed of: %s', async (_what, atOnce) => {
    const shared = new LivedToolset('shared');
    const agent = new Agent({ model: scriptedModel(), toolsets: [shared] });
    const first = await agent.open();
    await using _second = await agent.open();

    const disposing = first[Symbol.asyncDispose]();
    if (!atOnce) await disposing;
    await Promise.all([disposing, first[Symbol.asyncDispose]()]);

    expect(shared.opened).toBe(1);
  });

  it('stays open until a run that outlasts it is over', async () => {
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

  it('does not hold what is made for a run, or given to one', async () => {
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

  it('is not held when one of its toolsets does not open', async () => {
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

describe('a dynamic toolset', () => {
  it('is made for each step: another one is opened, the one before it closed', async () => {
    const log: string[] = [];
    const steps = ['one', 'two'].map((id) => new LivedToolset(id, log));
    const model = scriptedModel(calls('use_one'), calls('use_two'), says('Done.'));
    const toolset = new DynamicToolset(({ runStep }) => steps[runStep - 1]);

    await new Agent({ model, toolsets: [toolset] }).run('Go.');

    expect(offeredTo(model)).toEqual([['use_one'], ['use_two'], []]);
    // What a factory makes is used as it is: nobody asks its forRun.
    expect(log).toEqual([
      'one open',
      'one getTools 1',
      'one close',
      'two open',
      'two getTools 2',
      'two close',
    ]);
  });

  it('stays open when the factory gives the same one again', async () => {
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
  ])('is made once for each run: one %s', async (_what, entry) => {
    const made: LivedToolset[] = [];
    const factory = () => {
      made.push(new LivedToolset('fresh'));
      return made.at(-1)!;
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

  it('is told about the run', async () => {
    const model = scriptedModel('Done.', 'Done.');
    const forAdmins: ToolsetFactory<{ admin: boolean }> = ({ deps }) =>
      deps.admin ? toolsetOf('root') : null;
    const agent = new Agent({ model, toolsets: [forAdmins] });

    await agent.run('Go.', { deps: { admin: true } });
    await agent.run('Go.', { deps: { admin: false } });

    expect(offeredTo(model)).toEqual([['root'], []]);
  });

  it.each([null, undefined])('may be nothing: %s', async (nothing) => {
    const model = scriptedModel('Done.');

    await new Agent({ model, toolsets: [() => nothing, toolsetOf('a')] }).run('Go.');

    expect(offeredTo(model)).toEqual([['a']]);
  });

  it('fails the run when its factory does, or what it made does not open', async () => {
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

  it('has runs of its own at the same time', async () => {
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

describe('after 1,000 runs of which a third fail and a third are aborted at a random moment', () => {
  it.each([1, 2, 3])('nothing is left open: seed %i', { timeout: 60_000 }, async (seed) => {
    const random = seededRandom(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn++) await undefined;
    };
    const all: LivedToolset[] = [];
    const lived = (id: string, tools = [named(`use_${id}`)]) => {
      const toolset = new LivedToolset(id, [], {
        tools,
        whenOpening: () => turns(below(12)),
        whenClosing: () => turns(below(12)),
      });
      all.push(toolset);
      return toolset;
    };
    const shared = lived('shared', [named('use_shared'), broken]);
    const fresh = new LivedToolset('pattern', [], { forRun: () => lived('fresh').prefixed('my') });
    const agentOf = (fails: boolean) =>
      new Agent({
        model: functionModel(async ({ messages }) => {
          await turns(below(12));
          if (messages.length < 4) return calls('use_shared');
          if (messages.length < 6) return calls(fails ? 'broken' : 'use_step');
          return says('Done.');
        }),
        toolsets: [
          shared,
          new CombinedToolset([fresh, shared.prefixed('twice')]),
          new DynamicToolset(async () => {
            await turns(below(4));
            return lived('step');
          }),
          new DynamicToolset(() => lived('run'), { perRunStep: false }),
        ],
      });
    const [works, fails] = [agentOf(false), agentOf(true)];
    const ends = { finished: 0, failed: 0, aborted: 0 };

    /** One run, started in one of the ways there are and ended in one of three. */
    async function one(number: number): Promise<void> {
      await turns(below(100));
      const agent = number % 3 === 1 ? fails : works;
      const controller = new AbortController();
      const options = { signal: controller.signal, toolsets: [lived('given')] };
      const abort = async () => {
        if (number % 3 !== 2) return;
        await turns(below(250));
        controller.abort(new Error('enough'));
      };
      const run = async () => {
        if (below(3) > 0) return (await agent.run('Go.', options)).output;
        const left = number % 3 === 2 ? below(12) : Number.POSITIVE_INFINITY;
        let seen = 0;
        const steps = below(2) > 0 ? agent.iter('Go.', options) : agent.stream('Go.', options);
        for await (const _ of steps) if (seen++ >= left) throw new Error('enough');
        return 'Done.';
      };
      const [end] = await Promise.allSettled([run(), abort()]);
      if (end.status === 'fulfilled') ends.finished += 1;
      else if (end.reason instanceof RangeError) ends.failed += 1;
      else if (end.reason instanceof Error && end.reason.message === 'enough') ends.aborted += 1;
      else throw end.reason;
    }
    for (let done = 0; done < 1000; done += 40) {
      const some = Array.from({ length: Math.min(40, 1000 - done) }, (_, at) => one(done + at));
      await Promise.all(some);
    }
    await settled();

    // Some runs are over before they can be aborted.
    expect(ends.finished + ends.failed + ends.aborted).toBe(1000);
    expect(ends.failed).toBe(333);
    expect(ends.aborted).toBeGreaterThan(200);
    expect(all.filter(({ opened }) => opened !== 0).map(({ id }) => id)).toEqual([]);
    expect(all.filter(({ mostOpened }) => mostOpened > 1)).toEqual([]);
    expect(shared.timesOpened).toBeGreaterThan(1);
  });
});
