import { describe, expect, it } from 'vitest';
import {
  agentOf,
  decisionsFor,
  type Plan,
  playOut,
} from '../../test/nested-deferral/support/agent-tree.ts';
import { agentIn, expectParked, workshop } from '../../test/support/deferral.ts';
import { historyOf, recordOf } from '../../test/support/histories.ts';
import { rejectionOf } from '../../test/support/latch.ts';
import { present } from '../../test/support/present.ts';
import { UserError } from '../errors/user-errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { MemoryLedger } from '../ledger/memory-ledger.ts';
import { messageCodec } from '../messages/codec/index.ts';
import type { Message } from '../messages/message.ts';
import { withoutStepRecord } from '../messages/step-record.ts';
import { calls, says } from '../testing/index.ts';
import { forkHistory } from './fork-history.ts';
import { requestsFromMessages } from './from-messages.ts';

const counting = () => {
  let ids = 0;
  return () => `new-${++ids}`;
};

const nested: Plan = [
  [
    { kind: 'approve' },
    { kind: 'agent', approved: false, plan: [[{ kind: 'ask' }], [{ kind: 'external' }]] },
    { kind: 'agent', approved: true, plan: [[{ kind: 'approve' }]] },
  ],
];

/** Returns all step ids in a history, including those of sub-agents. */
function stepsIn(messages: readonly Message[]): string[] {
  const found = messageCodec.stringify(messages).matchAll(/"step":(?:"([^"]+)"|(\d+))/g);
  return [...found].map(([, name, number]) => present(name ?? number));
}

/** A parked run that was resumed. */
async function removed(ledger?: Ledger) {
  const shop = workshop();
  const script = [calls('remove', { path: 'a' }, { id: 'c' }), says('Once.'), says('Twice.')];
  const agent = agentIn(shop, script);
  const parked = await expectParked(agent.run('Go.', { durability: { ledger } }));
  await agent.resume(parked, parked.output.buildResults({ approveAll: true }), {
    durability: { ledger },
  });
  expect(shop.ran()).toEqual(['remove a']);
  return { shop, agent, parked };
}

/** Expects the same pending calls, with other ids. */
function expectSameCalls(fork: readonly Message[], original: readonly Message[]): void {
  const [forked, known] = [fork, original].map((messages) =>
    present(requestsFromMessages(messages)),
  );
  expect({ ...forked, ids: {} }).toEqual({ ...known, ids: {} });
  const ids = [...present(forked), ...present(known)].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
}

describe('a fork of a parked history', () => {
  it('has the same content, but other step ids', async () => {
    const [parked] = await playOut(agentOf(nested, []), { approves: () => true });

    const fork = forkHistory(present(parked).messages, { newId: counting() });

    expectSameCalls(fork, present(parked).messages);
    expect(fork.map(withoutStepRecord)).toEqual(present(parked).messages.map(withoutStepRecord));
    expect(stepsIn(fork).toSorted()).toEqual(['new-1', 'new-2']);
    expect(stepsIn(present(parked).messages)).toHaveLength(2);
  });

  it('has the same content in a later round, when some calls have a result', async () => {
    const [, parked] = await playOut(agentOf(nested, []), { approves: () => true });

    const fork = forkHistory(present(parked).messages, { newId: counting() });

    expectSameCalls(fork, present(parked).messages);
    expect(requestsFromMessages(fork)?.approvals).toHaveLength(1);
    expect(requestsFromMessages(fork)?.calls).toHaveLength(1);
    // One id of the run, and one of each parked sub-agent.
    expect(stepsIn(fork).filter((step) => step.startsWith('new'))).toHaveLength(3);
  });

  it('has new step ids each time', async () => {
    const [parked] = await playOut(agentOf(nested, []), { approves: () => true });

    const [first, second] = [
      forkHistory(present(parked).messages),
      forkHistory(present(parked).messages),
    ];

    const names = [present(parked).messages, first, second].map(
      (messages) => new Set(stepsIn(messages)),
    );
    expect(new Set(names.flatMap((set) => [...set])).size).toBe(
      names.reduce((sum, { size }) => sum + size, 0),
    );
  });

  it('does not change the original', async () => {
    const [parked] = await playOut(agentOf(nested, []), { approves: () => true });
    const before = messageCodec.stringify(present(parked).messages);

    forkHistory(present(parked).messages);

    expect(messageCodec.stringify(present(parked).messages)).toBe(before);
  });

  it('may execute its calls although those of the original have executed', async () => {
    const { shop, agent, parked } = await removed();

    const fork = { messages: forkHistory(parked.messages) };
    await agent.resume(
      fork,
      present(requestsFromMessages(fork.messages)).buildResults({ approveAll: true }),
    );

    expect(shop.ran()).toEqual(['remove a', 'remove a']);
  });

  it('is rejected with a ledger until it is parked again, and then executes once', async () => {
    const ledger = new MemoryLedger();
    const { shop, agent, parked } = await removed(ledger);
    const fork = forkHistory(parked.messages);
    const earlyResults = present(requestsFromMessages(fork)).buildResults({ approveAll: true });
    await expect(
      agent.resume({ messages: fork }, earlyResults, { durability: { ledger } }),
    ).rejects.toThrow(/Nothing was executed/);

    const reparked = await expectParked(
      agent.run(undefined, { messageHistory: fork, durability: { ledger } }),
    );
    const results = reparked.output.buildResults({ approveAll: true });
    await agent.resume(reparked, results, { durability: { ledger } });

    expect(shop.ran()).toEqual(['remove a', 'remove a']);
    expect(
      await rejectionOf(agent.resume(reparked, results, { durability: { ledger } })),
    ).toMatchObject({
      code: 'already-resumed',
    });
    expect(reparked.output.get('c').details.digest).not.toBe(parked.output.get('c').details.digest);
  });

  it('may execute the calls of sub-agents, without a ledger', async () => {
    const effects: string[] = [];
    const agent = agentOf(nested, effects);
    const parked = await expectParked(agent.run('Go.'));
    const yes = (messages: readonly Message[]) =>
      decisionsFor(present(requestsFromMessages(messages)), () => true);
    await agent.resume(parked, yes(parked.messages));
    const once = effects.splice(0);
    expect(once).toHaveLength(2);

    const messages = forkHistory(parked.messages);
    await agent.resume({ messages }, yes(messages));

    expect(effects).toEqual(once);
  });

  it('executes nothing with a ledger while sub-agents are parked, even after it was parked again', async () => {
    const ledger = new MemoryLedger();
    const effects: string[] = [];
    const agent = agentOf(nested, effects);
    const parked = await expectParked(agent.run('Go.', { durability: { ledger } }));

    const messageHistory = forkHistory(parked.messages);
    const reparked = await expectParked(
      agent.run(undefined, { messageHistory, durability: { ledger } }),
    );

    await expect(
      agent.resume(
        reparked,
        decisionsFor(reparked.output, () => true),
        { durability: { ledger } },
      ),
    ).rejects.toThrow(/Nothing was executed/);
    expect(effects).toEqual([]);
  });

  it('has no digests, and rejects decisions with the digests of the original', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [calls('remove', { path: 'a' }, { id: 'c' })], {
      durability: { digests: true },
    });
    const parked = await expectParked(agent.run('Go.'));
    const { digest, ...others } = parked.output.get('c').details;

    const fork = forkHistory(parked.messages);

    expect(digest).toBeDefined();
    expect(requestsFromMessages(fork)?.get('c').details).toEqual(others);
    expect(others).toHaveProperty('schemaHash');
    const results = parked.output.buildResults({ approveAll: true });
    expect(await rejectionOf(agent.resume({ messages: fork }, results))).toMatchObject({
      code: 'invalid-results',
    });
    expect(shop.ran()).toEqual([]);
  });

  it('is created from stored messages as well', async () => {
    const [parked] = await playOut(agentOf(nested, []), { approves: () => true });
    const stored: readonly Message[] = JSON.parse(JSON.stringify(present(parked).messages));

    const fork = forkHistory(stored, { newId: counting() });

    expect(recordOf(fork.at(-1))?.step).toBe('new-1');
    expect(Object.isFrozen(stored)).toBe(false);
  });

  it('cannot be created from a history without pending calls', async () => {
    const ends = await playOut(agentOf([[{ kind: 'approve' }]], []), { approves: () => true });

    for (const messages of [[], historyOf(), present(ends.at(-1)).messages]) {
      expect(() => forkHistory(messages)).toThrow(UserError);
      expect(() => forkHistory(messages)).toThrow(/nothing to fork/);
    }
  });
});
