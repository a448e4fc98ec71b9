import type { DeskClient } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { findHold, findRun, shortLength } from './find-id.ts';

const id = (prefix: string) => prefix.padEnd(32, '0');

/** Creates a client that filters by id prefix and counts requests. */
function listing(open: readonly string[], settled: readonly string[] = []) {
  let requests = 0;
  const page = (
    states: Readonly<Record<string, readonly string[]>>,
    { idPrefix, limit = 50 }: Query,
  ) => {
    requests += 1;
    const items = Object.entries(states)
      .flatMap(([state, ids]) => ids.map((one) => ({ id: one, state })))
      .filter((item) => item.id.startsWith(idPrefix));
    return { items: items.slice(0, limit), next: items.length > limit ? 'next' : undefined };
  };
  const client = {
    runs: async (query: Query) => page({ parked: open }, query),
    holds: async (query: Query) => page({ decided: settled, open }, query),
  };
  // The functions use no other method.
  return { client: client as unknown as DeskClient, requests: () => requests };
}

interface Query {
  readonly idPrefix: string;
  readonly limit?: number;
}

describe('an id prefix', () => {
  it('is resolved with one request', async () => {
    const { client, requests } = listing([id('aaaa1'), id('bbbb1')], [id('cccc1')]);

    expect(await findHold(client, 'cccc')).toBe(id('cccc1'));
    expect(await findRun(client, 'bbbb1')).toBe(id('bbbb1'));
    expect(requests()).toBe(2);
  });

  it('matches an open hold, or else a settled one', async () => {
    const { client } = listing([id('aaaa1')], [id('aaaa2'), id('bbbb1')]);

    expect(await findHold(client, 'aaaa')).toBe(id('aaaa1'));
    expect(await findHold(client, 'bbbb')).toBe(id('bbbb1'));
  });

  it('is ambiguous if it matches more than a page, which may hide another open hold', async () => {
    const settled = Array.from({ length: 50 }, (_, index) => id(`aaaa2${index + 10}`));
    const { client } = listing([id('aaaa1')], settled);

    await expect(findHold(client, 'aaaa')).rejects.toThrow('Several holds begin with `aaaa`');
  });

  it('needs no request if it is a whole id', async () => {
    const { client, requests } = listing([]);

    expect(await findHold(client, id('aaaa'))).toBe(id('aaaa'));
    expect(requests()).toBe(0);
  });

  it.each([
    ['aaaa', 'Several holds begin with `aaaa`'],
    ['dddd', 'No hold begins with `dddd`'],
    ['aaa', 'at least its first four characters'],
    ['../x', 'is not the id of a hold'],
    ['AAAA1', 'is not the id of a hold'],
  ])('is rejected: %s', async (typed, problem) => {
    const { client } = listing([id('aaaa1'), id('bbbb1'), id('aaaa2')]);

    await expect(findHold(client, typed)).rejects.toThrow(problem);
  });
});

describe('short ids', () => {
  it.each([
    [[], 8],
    [[id('a'), id('b')], 8],
    [[id('12345678a'), id('12345678b')], 10],
    [[id('a'), id('a')], 8],
  ])('of %j have %i characters', (ids, length) => {
    expect(shortLength(ids)).toBe(length);
  });
});
