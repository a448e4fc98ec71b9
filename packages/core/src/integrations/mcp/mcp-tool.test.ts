import { describe, expect, it } from 'vitest';
import { fingerprint } from './mcp-tool.ts';

describe('fingerprint of an MCP tool', () => {
  it('stays the same in all versions of the package', async () => {
    expect(await fingerprint({ b: [1, null, 'x'], a: true })).toBe(
      'mcp-b6eae02497ff4cd42e27a8255467797ce4282da7',
    );
  });

  it('does not depend on the order of members', async () => {
    expect(await fingerprint({ a: 1, b: { c: 2, d: 3 } })).toBe(
      await fingerprint({ b: { d: 3, c: 2 }, a: 1 }),
    );
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [[], {}],
    [['object'], {}],
    [{ a: [1] }, { a: { 0: 1 } }],
    [
      [1, 2],
      [2, 1],
    ],
    [JSON.parse('{"__proto__": {"a": 1}}'), {}],
    [null, ''],
  ])('differs between %j and %j', async (one, other) => {
    expect(await fingerprint(one)).not.toBe(await fingerprint(other));
  });
});
