import type { DeskClient, Page } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { findHold, findRun, shortLength } from './find-id.ts';

const id = (beginning: string) => beginning.padEnd(32, '0');

/** A desk that finds items by the beginning of their ids, and counts what it was asked and gave. */
function listing(open: readonly string[], settled: readonly string[] = []) {
  let [asked, given] = [0, 0];
  const page = (ids: readonly string[], { idPrefix, limit }: Query): Page<{ id: string }> => {
    asked += 1;
    const items = ids.filter((one) => one.startsWith(idPrefix)).slice(0, limit);
    given += items.length;
    return { items: items.map((one) => ({ id: one })) };
  };
  const client = {
    runs: async (query: Query) => page(open, query),
    holds: async (query: Query) => page(query.states === undefined ? open : settled, query),
  };
  // Nothing else of a client is used.
  return { client: client as unknown as DeskClient, asked: () => asked, given: () => given };
}

interface Query {
  readonly idPrefix: string;
  readonly limit: number;
  readonly states?: unknown;
}

describe('an id of which the beginning was typed', () => {
  it('desk B17: is found with one request, which brings nothing else', async () => {
    const { client, asked, given } = listing([id('aaaa1'), id('bbbb1'), id('cccc1')]);

    expect(await findHold(client, 'cccc')).toBe(id('cccc1'));
    expect(await findRun(client, 'bbbb1')).toBe(id('bbbb1'));
    expect([asked(), given()]).toEqual([2, 2]);
  });

  it('is that of an open hold, or else of one that is settled', async () => {
    const { client } = listing([id('aaaa1')], [id('aaaa2'), id('bbbb1')]);

    expect(await findHold(client, 'aaaa')).toBe(id('aaaa1'));
    expect(await findHold(client, 'bbbb')).toBe(id('bbbb1'));
  });

  it('is not looked for if it is whole', async () => {
    const { client, asked } = listing([]);

    expect(await findHold(client, id('aaaa'))).toBe(id('aaaa'));
    expect(asked()).toBe(0);
  });

  it.each([
    ['aaaa', 'Several holds begin with `aaaa`'],
    ['dddd', 'No hold begins with `dddd`'],
    ['aaa', 'at least its first four characters'],
    ['../x', 'is not the id of a hold'],
    ['AAAA1', 'is not the id of a hold'],
  ])('is refused if it is %s', async (typed, problem) => {
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
