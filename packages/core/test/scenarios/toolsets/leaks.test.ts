import { Agent, CombinedToolset, DynamicToolset } from 'holdpoint';
import { calls, functionModel, says, seededRandom } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { settled } from '../../support/latch.ts';
import { LivedToolset, named } from '../../support/toolsets.ts';
import { broken } from '../../support/toolset-lives.ts';

describe('after 1,000 runs of which a third fail and a third are aborted at a random moment', () => {
  it.each([1, 2, 3])('nothing is left open: seed %i', { timeout: 60_000 }, async (seed) => {
    const random = seededRandom(seed);
    const randomInt = (limit: number) => Math.floor(random() * limit);
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn++) await undefined;
    };
    const all: LivedToolset[] = [];
    const lived = (id: string, tools = [named(`use_${id}`)]) => {
      const toolset = new LivedToolset(id, [], {
        tools,
        whenOpening: () => turns(randomInt(12)),
        whenClosing: () => turns(randomInt(12)),
      });
      all.push(toolset);
      return toolset;
    };
    const shared = lived('shared', [named('use_shared'), broken]);
    const fresh = new LivedToolset('pattern', [], { forRun: () => lived('fresh').prefixed('my') });
    const agentOf = (fails: boolean) =>
      new Agent({
        model: functionModel(async ({ messages }) => {
          await turns(randomInt(12));
          if (messages.length < 4) return calls('use_shared');
          if (messages.length < 6) return calls(fails ? 'broken' : 'use_step');
          return says('Done.');
        }),
        toolsets: [
          shared,
          new CombinedToolset([fresh, shared.prefixed('twice')]),
          new DynamicToolset(async () => {
            await turns(randomInt(4));
            return lived('step');
          }),
          new DynamicToolset(() => lived('run'), { perRunStep: false }),
        ],
      });
    const [works, fails] = [agentOf(false), agentOf(true)];
    const ends = { finished: 0, failed: 0, aborted: 0 };

    /** Executes a run with one of the run methods, and with one of three ends. */
    async function one(number: number): Promise<void> {
      await turns(randomInt(100));
      const agent = number % 3 === 1 ? fails : works;
      const controller = new AbortController();
      const options = { signal: controller.signal, toolsets: [lived('given')] };
      const abort = async () => {
        if (number % 3 !== 2) return;
        await turns(randomInt(250));
        controller.abort(new Error('enough'));
      };
      const run = async () => {
        if (randomInt(3) > 0) return (await agent.run('Go.', options)).output;
        const left = number % 3 === 2 ? randomInt(12) : Number.POSITIVE_INFINITY;
        let seen = 0;
        const steps = randomInt(2) > 0 ? agent.iter('Go.', options) : agent.stream('Go.', options);
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
    expect(all.filter(({ maxOpened }) => maxOpened > 1)).toEqual([]);
    expect(shared.timesOpened).toBeGreaterThan(1);
  });
});
