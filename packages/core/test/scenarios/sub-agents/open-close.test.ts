import { Agent, DynamicToolset, inherit, type Tool, type Toolset, tool } from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls, functionModel, responds, says, seededRandom } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { following, leadAgent, type PlainAgent, subAgent } from '../../support/sub-agents.ts';
import { delegations } from '../../support/toolset-policies/observe.ts';
import { DelegationLogToolset } from '../../support/toolset-policies/delegation-log-toolset.ts';
import { LivedToolset } from '../../support/toolsets.ts';

const broken = tool({ name: 'broken', execute: () => Promise.reject(new RangeError('broken')) });
const hanging = tool({ name: 'hanging', execute: never });
const openings = (log: readonly string[]) => log.filter((line) => /open|close/.test(line));

describe.each(delegations)('toolsets of runs that delegate with $way', ({ delegate }) => {
  describe('a shared instance', () => {
    it.each<[string, (shared: Toolset) => { lead: PlainToolsets; sub: PlainToolsets }]>([
      ['on both agents', (shared) => ({ lead: [shared], sub: [shared] })],
      ['inherited', (shared) => ({ lead: [shared], sub: [inherit('shared')] })],
      [
        'inherited from a factory, as it is',
        (shared) => ({ lead: [() => shared], sub: [inherit('shared', { share: true })] }),
      ],
      [
        'in several forms',
        (shared) => ({
          lead: [new DynamicToolset(() => shared)],
          sub: [inherit('shared').prefixed('a'), inherit('shared').prefixed('b')],
        }),
      ],
    ])('is opened once and closed once: %s', async (_what, compose) => {
      const log: string[] = [];
      const shared = new LivedToolset('shared', log);
      const { lead, sub } = compose(shared);
      const both = responds(calls('sub', { prompt: 'left' }), calls('sub', { prompt: 'right' }));
      const agent = new Agent({
        model: following(both, calls('sub', { prompt: 'again' })),
        tools: [delegate(subAgent([], { toolsets: sub }))],
        toolsets: lead,
      });

      await agent.run('Go.');

      expect(openings(log)).toEqual(['shared open', 'shared close']);
    });

    it('stays open for the delegating run when the sub-agent fails', async () => {
      const log: string[] = [];
      const shared = new LivedToolset('shared', log);
      const sub = subAgent([calls('broken')], { tools: [broken], toolsets: [inherit('shared')] });
      const handed = delegate(sub);
      const careful = tool({
        name: 'careful',
        execute: async (_args, ctx) => {
          await rejectionOf(ctx.toolManager.call('sub', { prompt: 'Go on.' }));
          log.push(`still open: ${shared.opened}`);
        },
      });
      const lead = new Agent({
        model: following(calls('careful'), calls('use_shared')),
        tools: [handed, careful],
        toolsets: [shared],
      });

      await lead.run('Go.');

      expect(openings(log)).toEqual(['shared open', 'still open: 1', 'shared close']);
    });

    it('is closed after the last run, even if that is the sub-agent', async () => {
      const log: string[] = [];
      const shared = new LivedToolset('shared', log);
      const closing = latch();
      const slow = new LivedToolset('slow', log, { whenClosing: () => closing.opened });
      const sub = subAgent([calls('hanging')], {
        tools: [hanging],
        toolsets: [inherit('shared'), slow],
      });
      const controller = new AbortController();
      const lead = leadAgent(delegate(sub), { toolsets: [shared] });
      const ended = rejectionOf(lead.run('Go.', { signal: controller.signal }));
      await settled();

      controller.abort(new Error('enough'));
      expect(await ended).toMatchObject({ message: 'enough' });
      expect(shared.opened).toBe(1);
      closing.open();
      await settled();

      expect(openings(log)).toEqual(['shared open', 'slow open', 'slow close', 'shared close']);
    });
  });

  describe('a toolset of the sub-agent itself', () => {
    const copying = (made: LivedToolset[], log: string[]) =>
      new DelegationLogToolset('own', log, {
        forSubAgent: () => {
          made.push(new LivedToolset('copy', log));
          return present(made.at(-1));
        },
      });

    /** An agent whose sub-agent hangs with its own copy of the toolset. */
    function leadOfHanging(log: string[], made: LivedToolset[]) {
      const sub = subAgent([calls('hanging')], { tools: [hanging], toolsets: [inherit('own')] });
      return leadAgent(delegate(sub), { toolsets: [copying(made, log)] });
    }
    const BOTH_CLOSED = ['copy close', 'copy open', 'own close', 'own open'];

    it('closes at the end of its run, before the parent run continues', async () => {
      const log: string[] = [];
      const made: LivedToolset[] = [];
      const sub = subAgent([calls('use_copy')], { toolsets: [inherit('own')] });

      await leadAgent(delegate(sub), { toolsets: [copying(made, log)] }).run('Go.');

      expect(log.filter((line) => /open|close|own getTools/.test(line))).toEqual([
        'own open',
        'own getTools 1',
        'copy open',
        'copy close',
        'own getTools 2',
        'own close',
      ]);
    });

    it('is closed when its run fails, before the toolsets of the delegating run', async () => {
      const log: string[] = [];
      const made: LivedToolset[] = [];
      const sub = subAgent([calls('broken')], { tools: [broken], toolsets: [inherit('own')] });
      const lead = leadAgent(delegate(sub), { toolsets: [copying(made, log)] });

      expect(await rejectionOf(lead.run('Go.'))).toMatchObject({ message: 'broken' });

      expect(openings(log)).toEqual(['own open', 'copy open', 'copy close', 'own close']);
    });

    it('is closed when the delegating run is aborted', async () => {
      const log: string[] = [];
      const made: LivedToolset[] = [];
      const controller = new AbortController();
      const lead = leadOfHanging(log, made);
      const ended = rejectionOf(lead.run('Go.', { signal: controller.signal }));
      await settled();
      expect(made.map(({ opened }) => opened)).toEqual([1]);

      controller.abort(new Error('enough'));
      expect(await ended).toMatchObject({ message: 'enough' });
      await settled();

      expect(openings(log).toSorted()).toEqual(BOTH_CLOSED);
    });

    it('closes when the call times out, and the parent run continues', async () => {
      const log: string[] = [];
      const made: LivedToolset[] = [];
      const sub = subAgent([calls('hanging')], { tools: [hanging], toolsets: [inherit('own')] });
      const lead = new Agent<readonly Tool[]>({
        model: following(calls('sub', { prompt: 'Go on.' })),
        tools: [delegate(sub)],
        toolsets: [copying(made, log)],
        toolTimeout: 10,
      });

      const { output } = await lead.run('Go.');
      await settled();

      expect(output).toBe('Done.');
      expect(made.map(({ timesOpened, opened }) => [timesOpened, opened])).toEqual([[1, 0]]);
    });

    it('is closed when the iterator of the delegating run is left during the call', async () => {
      const log: string[] = [];
      const made: LivedToolset[] = [];
      const iterator = leadOfHanging(log, made).iter('Go.');
      await iterator.next();
      await iterator.next();
      const calling = rejectionOf(iterator.next());
      await settled();
      expect(made.map(({ opened }) => opened)).toEqual([1]);

      await iterator.return();
      expect(await calling).toMatchObject({ name: 'AbortError' });
      await settled();

      expect(openings(log).toSorted()).toEqual(BOTH_CLOSED);
    });

    it('fails the call when it cannot be closed, and nothing else stays open', async () => {
      const stuck = new LivedToolset('stuck', [], {
        whenClosing: () => Promise.reject(new Error('stuck')),
      });
      const own = new LivedToolset('own');
      const sub = subAgent([], { toolsets: [inherit('own'), stuck] });

      const error = await rejectionOf(leadAgent(delegate(sub), { toolsets: [own] }).run('Go.'));

      expect(error).toMatchObject({ message: 'stuck' });
      expect(own.opened).toBe(0);
    });
  });
});

describe('an agent that is held open', () => {
  it('keeps shared toolsets of sub-agents open, and sub-agents can be held open as well', async () => {
    const log: string[] = [];
    const shared = new LivedToolset('shared', log);
    const sub = subAgent([], { toolsets: [shared, inherit('shared').prefixed('x')] });
    const lead = leadAgent(sub.asTool(), { toolsets: [shared] });

    {
      await using _sub = await sub.open();
      await using _lead = await lead.open();
      for (let round = 0; round < 3; round++) await lead.run('Go.');
    }

    expect(openings(log)).toEqual(['shared open', 'shared close']);
  });
});

describe('after 1,000 runs with sub-agents, of which a third fail and a third are aborted at a random moment', () => {
  it.each([1, 2])('nothing is left open: seed %i', { timeout: 60_000 }, async (seed) => {
    const world = new World(seed);
    const ends = { finished: 0, failed: 0, aborted: 0 };
    const leads = delegations.map(({ delegate }) => ({
      works: world.leadWith(delegate, false),
      fails: world.leadWith(delegate, true),
    }));

    async function one(number: number): Promise<void> {
      const { works, fails } = present(leads[number % leads.length]);
      const lead = number % 3 === 1 ? fails : works;
      const controller = new AbortController();
      const abort = async () => {
        if (number % 3 !== 2) return;
        await world.turns(250);
        controller.abort(new Error('enough'));
      };
      await world.turns(60);
      const run = lead.run('Go.', { signal: controller.signal });
      const [end] = await Promise.allSettled([run, abort()]);
      if (end.status === 'fulfilled') ends.finished += 1;
      else if (end.reason instanceof RangeError) ends.failed += 1;
      else if (end.reason instanceof Error && end.reason.message === 'enough') ends.aborted += 1;
      else throw end.reason;
    }
    for (let done = 0; done < 1000; done += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, at) => one(done + at)));
    }
    await settled();

    expect(ends.finished + ends.failed + ends.aborted).toBe(1000);
    expect(ends.failed).toBe(333);
    // Some runs are over before they can be aborted.
    expect(ends.aborted).toBeGreaterThan(200);
    const { all } = world;
    expect(all.filter(({ opened }) => opened !== 0).map(({ id }) => id)).toEqual([]);
    expect(all.filter(({ maxOpened }) => maxOpened > 1).map(({ id }) => id)).toEqual([]);
    for (const id of ['shared', 'run', 'step', 'fresh']) {
      expect(all.some((toolset) => toolset.id === id && toolset.timesOpened > 0)).toBe(true);
    }
    expect(world.copies).toBeGreaterThan(1000);
    expect(world.usedClosed).toEqual([]);
  });
});

/** Agents on three levels with toolsets of random delays. */
class World {
  readonly all: LivedToolset[] = [];
  /** Toolsets whose tool was called while they were not open. */
  readonly usedClosed: string[] = [];
  copies = 0;
  readonly #random: () => number;
  readonly #shared: LivedToolset;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#shared = this.#lived('shared');
  }

  /** Waits for a random number of turns. */
  async turns(limit: number): Promise<void> {
    const count = Math.floor(this.#random() * limit);
    for (let turn = 0; turn < count; turn++) await undefined;
  }

  /** An agent that delegates twice in one response, to an agent that delegates again. */
  leadWith(delegate: (agent: PlainAgent) => Tool, fails: boolean): PlainAgent {
    const nested = this.#agent(
      'nested',
      [calls('my_use_run'), calls(fails ? 'broken' : 'use_shared')],
      {
        tools: [broken],
        toolsets: [inherit('shared'), inherit('run').prefixed('my'), () => this.#lived('fresh')],
      },
    );
    const sub = this.#agent(
      'sub',
      [
        responds(calls('use_shared'), calls('use_run'), calls('use_step')),
        calls('nested', { prompt: 'Go on.' }),
      ],
      {
        tools: [delegate(nested)],
        toolsets: [this.#shared, inherit('run'), inherit('step', { share: true })],
      },
    );
    const ask = calls('sub', { prompt: 'Go on.' });
    return this.#agent('lead', [calls('use_shared'), responds(ask, ask)], {
      tools: [delegate(sub)],
      toolsets: [
        this.#shared,
        () => this.#copied('run'),
        new DynamicToolset(async () => {
          await this.turns(4);
          return this.#lived('step');
        }),
      ],
    });
  }

  #agent(
    name: string,
    script: readonly ReturnType<typeof calls>[],
    options: { readonly tools: readonly Tool[]; readonly toolsets: PlainToolsets },
  ): PlainAgent {
    const model = functionModel(async ({ messages }) => {
      await this.turns(10);
      return script[messages.filter(({ kind }) => kind === 'response').length] ?? says('Done.');
    });
    return new Agent<readonly Tool[]>({ name, model, ...options });
  }

  #life() {
    return { whenOpening: () => this.turns(10), whenClosing: () => this.turns(10) };
  }

  /** A tool that records calls while its toolset is not open. */
  #use(id: string, toolsetOf: () => LivedToolset): Tool {
    return tool({
      name: `use_${id}`,
      execute: () => {
        if (toolsetOf().opened !== 1) this.usedClosed.push(id);
      },
    });
  }

  #lived(id: string): LivedToolset {
    const toolset: LivedToolset = new LivedToolset(id, [], {
      ...this.#life(),
      tools: [this.#use(id, () => toolset)],
    });
    this.all.push(toolset);
    return toolset;
  }

  /** A toolset that sub-agents copy, at every level. */
  #copied(id: string): LivedToolset {
    const toolset: DelegationLogToolset = new DelegationLogToolset(id, [], {
      ...this.#life(),
      tools: [this.#use(id, () => toolset)],
      forSubAgent: async () => {
        await this.turns(10);
        this.copies += 1;
        return this.#copied(id);
      },
    });
    this.all.push(toolset);
    return toolset;
  }
}
