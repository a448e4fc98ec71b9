import {
  Agent,
  approveAll,
  CombinedToolset,
  DeferredToolRequests,
  DynamicToolset,
  inherit,
  type RunContext,
  type Toolset,
  tool,
} from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { latch, rejectionOf, settled } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { following, leadAgent, subAgent } from '../../support/sub-agents.ts';
import { delegations } from '../../support/toolset-policies/observe.ts';
import { DelegationLogToolset } from '../../support/toolset-policies/delegation-log-toolset.ts';
import { LivedToolset, toolsetOf } from '../../support/toolsets.ts';

const inputSchema = z.object({ prompt: z.string() });

describe.each(delegations)(
  'when a run delegates with $way, a toolset of the sub-agent',
  ({ delegate }) => {
    it('receives forSubAgent first, and then has the usual lifecycle within the parent run', async () => {
      const log: string[] = [];
      const sub = subAgent([calls('use_b')], { toolsets: [new DelegationLogToolset('b', log)] });
      const lead = leadAgent(delegate(sub), { toolsets: [new DelegationLogToolset('a', log)] });

      await lead.run('Go.');

      expect(log).toEqual([
        'a forRun',
        'a open',
        'a forRunStep 1',
        'a getTools 1',
        'b forSubAgent',
        'b forRun',
        'b open',
        'b forRunStep 1',
        'b getTools 1',
        'b forRunStep 2',
        'b getTools 2',
        'b close',
        'a forRunStep 2',
        'a getTools 2',
        'a close',
      ]);
    });

    it('receives the delegating call and the agent', async () => {
      const logging = new DelegationLogToolset('told');
      const lead = leadAgent(delegate(subAgent([], { toolsets: [logging] })));

      await lead.run('Go.', { runId: 'the-run', metadata: { tenant: 7 } });

      expect(logging.delegations).toMatchObject([
        {
          parent: {
            runId: 'the-run',
            toolName: 'sub',
            toolCallId: 'call-1',
            runStep: 1,
            metadata: { tenant: 7 },
            agent: { name: 'lead' },
          },
          agent: { name: 'sub' },
        },
      ]);
    });

    it('can find the current toolsets of the delegating run', async () => {
      const found: (Toolset<never> | undefined)[] = [];
      const logging: DelegationLogToolset = new DelegationLogToolset('told', [], {
        forSubAgent({ findToolset }) {
          found.push(findToolset('plain'), findToolset('step'), findToolset('told'));
          return logging;
        },
      });
      const plain = new LivedToolset('plain');
      const steps = [new LivedToolset('step'), new LivedToolset('step')];
      const lead = new Agent({
        model: following(calls('sub', { prompt: '1' }), calls('sub', { prompt: '2' })),
        tools: [delegate(subAgent([], { toolsets: [logging] }))],
        toolsets: [plain, new DynamicToolset(({ runStep }) => steps[runStep - 1])],
      });

      await lead.run('Go.');

      expect(found.map((one) => one?.id)).toEqual([
        'plain',
        'step',
        undefined,
        'plain',
        'step',
        undefined,
      ]);
      expect(found[1]).toBe(steps[0]);
      expect(found[4]).toBe(steps[1]);
    });

    it('receives forSubAgent once for each call, and not for each step', async () => {
      const logging = new DelegationLogToolset('told');
      const sub = subAgent([calls('use_told'), calls('use_told')], { toolsets: [logging] });
      const both = responds(calls('sub', { prompt: 'left' }), calls('sub', { prompt: 'right' }));
      const lead = new Agent({ model: following(both), tools: [delegate(sub)] });

      await lead.run('Go.');

      expect(logging.delegations.map(({ parent }) => parent.toolCallId)).toEqual([
        'call-1',
        'call-2',
      ]);
      expect([logging.timesOpened, logging.opened]).toEqual([1, 0]);
    });

    it('receives forSubAgent inside wrappers and combinations, which stay around the result', async () => {
      const log: string[] = [];
      const use = tool({ name: 'use', execute: () => void log.push('given used') });
      const given = new LivedToolset('given', log, { tools: [use] });
      const logging = new DelegationLogToolset('told', log, { forSubAgent: () => given });
      const sub = subAgent([calls('x_use')], {
        toolsets: [
          new CombinedToolset([logging.prefixed('x'), toolsetOf('other')]).filtered('all'),
        ],
      });

      await leadAgent(delegate(sub)).run('Go.');

      expect(log.filter((line) => !/Step|getTools/.test(line))).toEqual([
        'told forSubAgent',
        'given forRun',
        'given open',
        'given used',
        'given close',
      ]);
    });

    it('may be async, but not longer than the call', async () => {
      const controller = new AbortController();
      const called = latch();
      const logging: DelegationLogToolset = new DelegationLogToolset('told', [], {
        async forSubAgent() {
          called.open();
          await new Promise(() => {});
          return logging;
        },
      });
      const own = new LivedToolset('own');
      const lead = leadAgent(delegate(subAgent([], { toolsets: [logging] })), { toolsets: [own] });
      const ended = rejectionOf(lead.run('Go.', { signal: controller.signal }));
      await called.opened;

      controller.abort(new Error('enough'));

      expect(await ended).toMatchObject({ message: 'enough' });
      expect([logging.timesOpened, own.timesOpened, own.opened]).toEqual([0, 1, 0]);
    });

    it('ends both runs when it fails, and nothing stays open', async () => {
      const logging = new DelegationLogToolset('told', [], {
        forSubAgent: () => Promise.reject(new RangeError('no copy')),
      });
      const own = new LivedToolset('own');
      const other = new LivedToolset('other');
      const sub = subAgent([], { toolsets: [other, logging] });
      const lead = leadAgent(delegate(sub), { toolsets: [own] });

      expect(await rejectionOf(lead.run('Go.'))).toMatchObject({ message: 'no copy' });
      await settled();

      expect([own.opened, other.timesOpened, logging.timesOpened]).toEqual([0, 0, 0]);
    });

    it.each<[string, (logging: Toolset) => DynamicToolset | (() => Toolset)]>([
      ['a function among the toolsets', (logging) => () => logging],
      [
        'a dynamic toolset for the run',
        (logging) => new DynamicToolset(() => logging, { perRunStep: false }),
      ],
      ['a dynamic toolset for each step', (logging) => new DynamicToolset(() => logging)],
    ])('is used unchanged if it comes from %s', async (_what, entry) => {
      const log: string[] = [];
      const logging = new DelegationLogToolset('told', log);

      await leadAgent(delegate(subAgent([], { toolsets: [entry(logging)] }))).run('Go.');

      expect(log).toEqual(['told open', 'told getTools 1', 'told close']);
    });
  },
);

describe('forSubAgent is not called', () => {
  it('in a run without a parent, nor in the parent run', async () => {
    const [leads, subs] = [new DelegationLogToolset('leads'), new DelegationLogToolset('subs')];
    const sub = subAgent([], { toolsets: [subs] });
    const own = tool({ name: 'sub', inputSchema, execute: () => 'nothing' });
    const lead = leadAgent(own, { toolsets: [leads] });

    await sub.run('Go.');
    await lead.run('Go.');

    expect([...subs.delegations, ...leads.delegations]).toEqual([]);
  });

  it('in a run that a tool starts without parent', async () => {
    const logging = new DelegationLogToolset('told');
    const sub = subAgent([], { toolsets: [logging] });
    const alone = tool({
      name: 'sub',
      inputSchema,
      execute: async ({ prompt }) => (await sub.run(prompt)).output,
    });

    const { usage } = await leadAgent(alone).run('Go.');

    expect(logging.delegations).toEqual([]);
    expect([logging.timesOpened, logging.opened]).toEqual([1, 0]);
    expect(usage.requests).toBe(2);
  });
});

describe('toolsets of one run', () => {
  it('receive forSubAgent as well if they are passed to a run with parent', async () => {
    const logging = new DelegationLogToolset('told');
    const sub = subAgent([calls('use_told')]);
    const handOver = tool({
      name: 'sub',
      inputSchema,
      execute: async ({ prompt }, ctx: RunContext) =>
        (await sub.run(prompt, { parent: ctx, toolsets: [logging] })).output,
    });

    await leadAgent(handOver).run('Go.');

    expect(logging.delegations).toHaveLength(1);
  });

  it('receive forSubAgent as well if a hook of the run delegates', async () => {
    const logging = new DelegationLogToolset('told');
    const sub = subAgent([], { toolsets: [logging, inherit('leads')] });
    const lead = new Agent({
      model: following(),
      toolsets: [new LivedToolset('leads')],
      outputValidators: [
        async (output, ctx) => {
          await sub.run('Is that right?', { parent: ctx });
          return output;
        },
      ],
    });

    const { usage } = await lead.run('Go.');

    expect(logging.delegations).toMatchObject([{ parent: { toolCallId: undefined } }]);
    expect(usage.requests).toBe(2);
  });
});

describe('an agent as a tool whose call was deferred', () => {
  const guarded = tool({ name: 'guarded', requiresApproval: true, execute: () => 'ran' });
  const team = () => {
    const log: string[] = [];
    const logging = new DelegationLogToolset('told', log, {
      tools: [guarded],
      forSubAgent: () => {
        made.push(new LivedToolset(`copy_${made.length + 1}`, log, { tools: [guarded] }));
        return present(made.at(-1));
      },
    });
    const made: LivedToolset[] = [];
    const sub = subAgent([calls('guarded')], { toolsets: [inherit('told')] });
    const lead = new Agent({
      model: following(calls('sub', { prompt: 'Go on.' })),
      tools: [sub.asTool()],
      toolsets: [logging],
      output: [String, DeferredToolRequests],
    });
    return { lead, lives: () => log.filter((line) => /forSubAgent|open|close/.test(line)) };
  };
  const before = ['told open', 'told forSubAgent', 'copy_1 open', 'copy_1 close'];
  const after = ['told forSubAgent', 'copy_2 open', 'copy_2 close', 'told close'];

  it('has nothing open while it is parked, and its toolsets are prepared again when it resumes', async () => {
    const { lead, lives } = team();

    const parked = await expectParked(lead.run('Go.'));
    expect(lives()).toEqual([...before, 'told close']);
    await lead.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(lives()).toEqual([...before, 'told close', 'told open', ...after]);
  });

  it('resumes as a new run also after a handler decides; the parent run stays the same', async () => {
    const { lead, lives } = team();

    await lead.run('Go.', { deferredToolHandler: approveAll() });

    expect(lives()).toEqual([...before, ...after]);
  });
});
