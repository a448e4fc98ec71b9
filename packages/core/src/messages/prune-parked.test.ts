import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentOf,
  decisionsFor,
  arbitraryPlan,
  type Ended,
  type Plan,
  playOut,
} from '../../test/nested-deferral/support/agent-tree.ts';
import { expectParked } from '../../test/support/deferral.ts';
import { historyOf, recordOf, responseWith } from '../../test/support/histories.ts';
import { present } from '../../test/support/present.ts';
import { untyped } from '../../test/support/untyped.ts';
import { requestsFromMessages } from '../deferred/from-messages.ts';
import { MemoryLedger } from '../ledger/memory-ledger.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { messageCodec } from './codec/index.ts';
import { cleanHistory } from './history.ts';
import { type Message, isTrusted } from './message.ts';
import { pruneParked } from './prune-parked.ts';
import { hasStepRecord, withoutStepRecord } from './step-record.ts';

/** Returns a run without its step records. */
function shown(end: Ended) {
  return {
    status: end.status,
    // Concurrent sub-agents get their run ids, which are in `ids`, in any order.
    output:
      end.status === 'finished'
        ? end.output
        : { ...requestsFromMessages(end.messages), ids: undefined },
    // Compares the model histories, because adjacent requests can have step records.
    messages: cleanHistory(end.messages.map(withoutStepRecord), { repairLast: false }),
    usage: end.usage,
  };
}

const approve = () => true;

describe('pruned history', () => {
  it('has no records of finished steps', async () => {
    const effects: string[] = [];
    const agent = agentOf([[{ kind: 'approve' }], [{ kind: 'approve' }]], effects);
    const ends = await playOut(agent, { approves: approve });
    const [, parkedAgain, done] = ends;
    expect(present(done).messages.filter(hasStepRecord)).toHaveLength(2);

    const pruned = pruneParked(present(parkedAgain).messages);

    expect(pruned.filter(hasStepRecord)).toEqual([present(parkedAgain).messages.at(-1)]);
    expect(pruneParked(present(done).messages).filter(hasStepRecord)).toEqual([]);
    expect(pruneParked(present(done).messages)).toEqual(
      present(done).messages.map(withoutStepRecord),
    );
  });

  it('has no records of sub-agents whose call has a result', async () => {
    const once: Plan = [[{ kind: 'approve' }]];
    const twice: Plan = [[{ kind: 'approve' }], [{ kind: 'approve' }]];
    const plan: Plan = [
      [
        { kind: 'agent', plan: once, approved: false },
        { kind: 'agent', plan: twice, approved: false },
      ],
    ];
    const agent = agentOf(plan, []);
    const [, parked] = await playOut(agent, { approves: approve });
    const before = recordOf(present(parked).messages[1]);
    expect(Object.keys(before?.open ?? {})).toEqual(['0', '0/~1']);

    const pruned = pruneParked(present(parked).messages);

    const [record, ...others] = pruned.filter(hasStepRecord).map(recordOf);
    expect(others).toEqual([]);
    expect(Object.keys(record?.open ?? {})).toEqual(['0/~1']);
    expect(messageCodec.stringify(pruned).length).toBeLessThan(
      messageCodec.stringify(present(parked).messages).length,
    );
  });

  it('retains the metadata of applications beside the records', () => {
    const record = { v: 1, step: 's', open: {} };
    const [request] = historyOf();
    const response = responseWith([{ toolName: 't', toolCallId: 'c', args: {} }], record);
    const recorded: Message = { ...response, metadata: { ...response.metadata, mine: 7 } };
    const resolved: Message = {
      kind: 'request',
      parts: [
        { kind: 'tool-return', toolName: 't', toolCallId: 'c', content: 'ok', outcome: 'success' },
      ],
    };

    const pruned = pruneParked([present(request), recorded, resolved]);

    expect(pruned.map(({ metadata }) => metadata)).toEqual([undefined, { mine: 7 }, undefined]);
  });

  it('is a frozen copy, and does not change if it is pruned again', async () => {
    const agent = agentOf([[{ kind: 'agent', plan: [[{ kind: 'ask' }]], approved: true }]], []);
    const ends = await playOut(agent, { approves: approve });
    const stored: readonly Message[] = JSON.parse(JSON.stringify(present(ends.at(-2)).messages));

    const pruned = pruneParked(stored);

    expect(isTrusted(pruned)).toBe(true);
    expect(Object.isFrozen(stored)).toBe(false);
    expect(pruneParked(pruned)).toEqual(pruned);
  });

  it('resumes once with the ledger of the run', async () => {
    const ledger = new MemoryLedger();
    const effects: string[] = [];
    const twice: Plan = [[{ kind: 'approve' }], [{ kind: 'ask' }]];
    const agent = agentOf([[{ kind: 'agent', plan: twice, approved: true }]], effects);
    let parked = await expectParked(agent.run('Go.', { durability: { ledger } }));

    for (let round = 0; round < 3; round++) {
      const messages = pruneParked(messageCodec.parse(messageCodec.stringify(parked.messages)));
      const results = decisionsFor(present(requestsFromMessages(messages)), approve);
      const going = agent.resume({ messages }, results, { durability: { ledger } });
      if (round < 2) parked = await expectParked(going);
      else expect((await going).status).toBe('finished');
      await expect(
        agent.resume({ messages }, results, { durability: { ledger } }),
      ).rejects.toMatchObject({
        code: 'already-resumed',
      });
    }

    expect(effects).toHaveLength(2);
  });

  it('is rejected if it is invalid', () => {
    const broken = historyOf(responseWith([], { v: 1, step: 's', open: { c: { kind: 'x' } } }));

    expect(() => pruneParked(untyped([{ kind: 'x' }]))).toThrow(/messages\[0\].kind/);
    expect(() => pruneParked(broken)).toThrow(/open.c.kind/);
  });

  it('has the same pending calls and resumes in the same way, with any sub-agents', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryPlan,
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        async (plan, coins) => {
          const approves = (index: number, round: number) =>
            present(coins[(index + round) % coins.length]);
          const effects: string[] = [];
          const plain = await playOut(agentOf(plan, effects), {
            approves,
            environment: fakeClock(),
          });

          const effectsOfPruned: string[] = [];
          const pruned = await playOut(agentOf(plan, effectsOfPruned), {
            approves,
            environment: fakeClock(),
            between({ messages, output }) {
              const less = pruneParked(messageCodec.parse(messageCodec.stringify(messages)));
              const requests = requestsFromMessages(less);
              expect(requests).toEqual(requestsFromMessages(messages));
              expect(decisionsFor(present(requests), approve)).toEqual(
                decisionsFor(output, approve),
              );
              expect(messageCodec.stringify(less).length).toBeLessThanOrEqual(
                messageCodec.stringify(messages).length,
              );
              return less;
            },
          });

          expect(pruned.map(shown)).toEqual(plain.map(shown));
          // Branches run concurrently.
          expect(effectsOfPruned.toSorted()).toEqual(effects.toSorted());
        },
      ),
    );
  });
});
