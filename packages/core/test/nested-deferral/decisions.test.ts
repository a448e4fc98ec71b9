import {
  Agent,
  DeferredToolResults,
  ExternalToolset,
  MemoryLedger,
  type Message,
  type ParallelMode,
  type Tool,
  ToolApproved,
  tool,
} from 'holdpoint';
import { calls, functionModel, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../support/deferral.ts';
import { idsOf } from '../support/histories.ts';
import { forge } from '../support/hostile.ts';
import { rejectionOf } from '../support/latch.ts';
import { present } from '../support/present.ts';
import { following, parkingAgent, removeTool, stored, twoBranches } from './support/pairs.ts';

/**
 * A lead with its own pending call, and a sub-agent with a call for approval and an external call.
 */
function mixedTeam() {
  const { remove, ran } = removeTool();
  const sub = new Agent<readonly Tool[]>({
    name: 'sub',
    tools: [remove],
    toolsets: [new ExternalToolset([{ name: 'paint' }])],
    model: following(
      responds(
        calls('remove', { path: 'below' }, { id: 'r' }),
        calls('paint', { colour: 'red' }, { id: 'p' }),
      ),
    ),
  });
  const both = responds(
    calls('remove', { path: 'top' }, { id: 'own' }),
    calls('sub', { prompt: '' }, { id: 'out' }),
  );
  return { lead: parkingAgent([both], { tools: [sub.asTool(), remove] }), ran };
}

const RIGHT = { approvals: { own: true, 'out/r': true }, calls: { 'out/p': 'painted' } };

describe('decisions for sub-agents', () => {
  it('are given with those for the run itself', async () => {
    const { lead, ran } = mixedTeam();
    const parked = await expectParked(lead.run('Go.'));
    expect(idsOf(parked.output.approvals)).toEqual(['out/r', 'own']);
    expect(idsOf(parked.output.calls)).toEqual(['out/p']);

    await lead.resume({ messages: stored(parked) }, new DeferredToolResults(RIGHT));

    expect(ran.toSorted()).toEqual(['below', 'top']);
  });

  it.each<[string, Parameters<typeof forge>[0], RegExp]>([
    ['one is missing', { ...RIGHT, approvals: { own: true } }, /out\/r/],
    ['one of another kind is missing', { approvals: RIGHT.approvals }, /out\/p/],
    ['that of the run is missing', { ...RIGHT, approvals: { 'out/r': true } }, /own/],
    [
      'one is for a call that the agent has not made',
      { ...RIGHT, approvals: { ...RIGHT.approvals, 'out/x': true } },
      /out\/x/,
    ],
    [
      'one is for the call to the agent',
      { ...RIGHT, approvals: { ...RIGHT.approvals, out: true } },
      /'out'/,
    ],
    [
      'one is the result of the call to the agent',
      { ...RIGHT, calls: { ...RIGHT.calls, out: 'done' } },
      /'out'/,
    ],
    [
      'one is under the id that the call has in its own run',
      { approvals: { own: true, r: true }, calls: RIGHT.calls },
      /'r'/,
    ],
    [
      'an approval has a result',
      { approvals: { own: true }, calls: { ...RIGHT.calls, 'out/r': 1 } },
      /out\/r/,
    ],
    ['a result has an approval', { approvals: { ...RIGHT.approvals, 'out/p': true } }, /out\/p/],
    ['there are two for one', { ...RIGHT, calls: { ...RIGHT.calls, 'out/r': 'done' } }, /out\/r/],
    ['one is no approval', { ...RIGHT, approvals: { own: true, 'out/r': 'yes' } }, /out\/r/],
    ['one cannot be kept', { ...RIGHT, calls: { 'out/p': Number.NaN } }, /out\/p/],
    ['there are none', {}, /own|out/],
  ])('are all validated before anything executes: %s', async (_what, decisions, message) => {
    const { lead, ran } = mixedTeam();
    const parked = await expectParked(lead.run('Go.'));
    const model = functionModel(() => {
      throw new Error('A model was called.');
    });

    for (const messages of [parked.messages, stored(parked)]) {
      const error = await rejectionOf(lead.resume({ messages }, forge(decisions), { model }));
      expect(String(error)).toMatch(message);
      expect(error).toHaveProperty('code');
    }

    expect(ran).toEqual([]);
    await lead.resume(parked, new DeferredToolResults(RIGHT));
    expect(ran.toSorted()).toEqual(['below', 'top']);
  });

  it('that edit arguments are validated by the nested tool, and sent back to its model', async () => {
    const { lead, ran } = mixedTeam();
    const parked = await expectParked(lead.run('Go.'));

    const done = await lead.resume(
      { messages: stored(parked) },
      forge({
        ...RIGHT,
        approvals: {
          own: true,
          'out/r': new ToolApproved({ overrideArgs: { path: 7 } }),
        },
      }),
    );

    expect(done.status).toBe('finished');
    expect(ran).toEqual(['top']);
  });
});

/** Returns the history with other arguments in the call of the right branch. */
function tampered(messages: readonly Message[]): readonly Message[] {
  const text = JSON.stringify(messages);
  expect(text.match(/\\"path\\":\\"right\.txt\\"/g)).toHaveLength(1);
  return JSON.parse(text.replace('\\"path\\":\\"right.txt\\"', '\\"path\\":\\"/\\"'));
}

describe('a change in the stored messages of a sub-agent', () => {
  const modes: readonly ParallelMode[] = ['parallel', 'sequential'];

  it.each(modes)(
    'is detected by digests before anything executes, in any branch: %s',
    async (mode) => {
      const { lead, ran } = twoBranches();
      const parked = await expectParked(lead.run('Go.', { durability: { digests: true } }));
      const results = parked.output.buildResults({ approveAll: true });
      expect(Object.keys(results.digests)).toEqual(['left/in', 'right/in']);

      const error = await rejectionOf(
        lead.resume({ messages: tampered(parked.messages) }, results, { parallelMode: mode }),
      );

      expect(error).toMatchObject({ code: 'invalid-results' });
      expect(ran).toEqual([]);
    },
  );

  it.each(modes)(
    'is detected by a ledger before anything executes, in any branch: %s',
    async (mode) => {
      const ledger = new MemoryLedger();
      const { lead, ran } = twoBranches();
      const parked = await expectParked(lead.run('Go.', { durability: { ledger } }));
      const results = new DeferredToolResults({ approvals: { 'left/in': true, 'right/in': true } });

      const error = await rejectionOf(
        lead.resume({ messages: tampered(parked.messages) }, results, {
          durability: { ledger },
          parallelMode: mode,
        }),
      );

      expect(error).toMatchObject({ code: 'invalid-results' });
      expect(ran).toEqual([]);
    },
  );

  it('is detected by a ledger even if the step record was changed with it', async () => {
    const ledger = new MemoryLedger();
    const { lead, ran } = twoBranches();
    const parked = await expectParked(lead.run('Go.', { durability: { ledger } }));
    const text = JSON.stringify(tampered(parked.messages)).replaceAll(
      /,?"(digest|schemaHash)":"[^"]*"/g,
      '',
    );
    const messages: readonly Message[] = JSON.parse(text.replaceAll('{,', '{'));

    const error = await rejectionOf(
      lead.resume(
        { messages },
        new DeferredToolResults({ approvals: { 'left/in': true, 'right/in': true } }),
        { durability: { ledger } },
      ),
    );

    // The ledger has no approval request for the changed call.
    expect(error).toMatchObject({ code: 'invalid-results' });
    expect(ran).toEqual([]);
  });

  it('is detected if a decision carries the digest of another call', async () => {
    const { lead, ran } = twoBranches();
    const parked = await expectParked(lead.run('Go.', { durability: { digests: true } }));
    const { digests } = parked.output.buildResults({ approveAll: true });

    const error = await rejectionOf(
      lead.resume(
        { messages: stored(parked) },
        new DeferredToolResults({
          approvals: { 'left/in': true, 'right/in': true },
          digests: {
            'left/in': present(digests['left/in']),
            'right/in': present(digests['left/in']),
          },
        }),
      ),
    );

    expect(error).toMatchObject({ code: 'invalid-results' });
    expect(ran).toEqual([]);
  });
});

describe('a tool of a sub-agent that has drifted', () => {
  it('is requested again, and the other approved calls execute', async () => {
    const team = (version: string) => {
      const ran: string[] = [];
      const pay = tool({
        name: 'pay',
        version,
        inputSchema: z.object({ euros: z.number() }),
        requiresApproval: true,
        execute: ({ euros }) => void ran.push(`paid ${euros} with ${version}`),
      });
      const sub = new Agent<readonly Tool[]>({
        name: 'sub',
        tools: [pay],
        model: following(calls('pay', { euros: 5 }, { id: 'p' })),
      });
      return {
        ran,
        lead: parkingAgent([calls('sub', { prompt: '' }, { id: 'out' })], {
          tools: [sub.asTool()],
        }),
      };
    };
    const [before, after] = [team('1'), team('2')];
    const parked = await expectParked(before.lead.run('Go.'));

    const again = await expectParked(
      after.lead.resume(
        { messages: stored(parked) },
        parked.output.buildResults({ approveAll: true }),
      ),
    );
    expect(again.output.get('out/p').details).toMatchObject({ drifted: true, version: '2' });
    expect(after.ran).toEqual([]);

    await after.lead.resume(
      { messages: stored(again) },
      again.output.buildResults({ approveAll: true }),
    );
    expect(after.ran).toEqual(['paid 5 with 2']);
  });
});
