import { describe, expect, it } from 'vitest';
import { describeLedger, ledgerCases } from '../../src/testing/describe-ledger.ts';
import { present } from '../support/present.ts';
import { type Bug, suiteWith } from './buggy-ledger.ts';
import { bugs } from './planted-bugs.ts';

const known = new Map<Bug, readonly string[]>();

/** Returns the names of the cases that a ledger with this bug fails. */
async function failedBy(bug: Bug): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { name, run } of known.has(bug) ? [] : ledgerCases(suiteWith(bug))) {
    await run().catch(() => failed.push(name));
  }
  if (!known.has(bug)) known.set(bug, failed);
  return present(known.get(bug));
}

describe('the suite for ledgers', () => {
  it('passes a ledger without a bug', async () => {
    expect(await failedBy(() => ({}))).toEqual([]);
  });

  it.each(Object.entries(bugs))('catches %s', async (_, [bug, finds]) => {
    expect(await failedBy(bug)).toContain(finds);
  });

  it('contains no case that passes with every ledger', { timeout: 60_000 }, async () => {
    const caught = new Set<string>();
    for (const [bug] of Object.values(bugs)) {
      for (const name of await failedBy(bug)) caught.add(name);
    }

    const all = ledgerCases(suiteWith(() => ({}))).map(({ name }) => name);
    expect(all.filter((name) => !caught.has(name))).toEqual([]);
  });

  it('reports the faults of a ledger', async () => {
    const [bug, name] = present(bugs['a claim that is not atomic']);
    const broken = ledgerCases(suiteWith(bug)).find((one) => one.name === name);

    await expect(broken?.run()).rejects.toThrow(
      "100 of 100 callers got 'held', instead of exactly one",
    );
  });

  it('tests only the features that a ledger declares', () => {
    const { open, openAnother, openForgetful } = suiteWith(() => ({}));
    const count = (suite: Parameters<typeof ledgerCases>[0]) => ledgerCases(suite).length;

    expect(count({ open, openAnother })).toBeGreaterThan(count({ open }));
    expect(count({ open, openForgetful })).toBeGreaterThan(count({ open }));
  });

  it('works with any runner, and closes the ledgers of a case', async () => {
    const reported: string[] = [];
    const runs: (() => Promise<void>)[] = [];
    let open = 0;
    const { open: openOne } = suiteWith(() => ({}));
    const suite = {
      async open() {
        open++;
        return { ...(await openOne()), close: () => void open-- };
      },
    };

    describeLedger('a ledger', suite, {
      describe(name, body) {
        reported.push(name);
        body();
      },
      it(name, run) {
        reported.push(name);
        runs.push(run);
      },
    });
    for (const run of runs) await run();

    expect(reported).toEqual(['a ledger', ...ledgerCases(suite).map(({ name }) => name)]);
    expect(open).toBe(0);
  });

  it('closes the ledgers of a failed case', async () => {
    let closed = 0;
    const { open } = suiteWith(() => ({ read: () => Promise.reject(new Error('broken')) }));
    const suite = { open: async () => ({ ...(await open()), close: () => void closed++ }) };

    await expect(ledgerCases(suite)[0]?.run()).rejects.toThrow('broken');

    expect(closed).toBe(1);
  });
});
