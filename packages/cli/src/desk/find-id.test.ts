import type { DeskClient, Page } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { findHold, findRun, shortLength } from './find-id.ts';

const id = (beginning: string) => beginning.padEnd(32, '0');

/** A desk that lists one hold or run at a time, and counts how often it is asked. */
function listing(open: readonly string[], settled: readonly string[] = []) {
  let asked = 0;
  const page = (ids: readonly string[], after = '0'): Page<{ id: string }> => {
    asked += 1;
    const next = Number(after) + 1;
    const items = ids.slice(next - 1, next).map((one) => ({ id: one }));
    return next < ids.length ? { items, next: String(next) } : { items };
  };
  const client = {
    runs: async ({ after }: { after?: string } = {}) => page(open, after),
    holds: async ({ states, after }: { states?: unknown; after?: string } = {}) =>
      page(states === undefined ? open : settled, after),
  };
  // Nothing else of a client is used.
  return { client: client as unknown as DeskClient, asked: () => asked };
}

describe('an id of which the beginning was typed', () => {
  it('is found on whichever page it is', async () => {
    const { client } = listing([id('aaaa1'), id('bbbb1'), id('cccc1')]);

    expect(await findHold(client, 'cccc')).toBe(id('cccc1'));
    expect(await findRun(client, 'bbbb1')).toBe(id('bbbb1'));
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
    ['aaaa', 'several holds that begin with'],
    ['dddd', "no hold that begins with 'dddd'"],
    ['aaa', 'first four characters at least'],
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
