import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { arbitraryJson } from '../../test/support/arbitrary-messages.ts';
import { UserError } from '../errors/user-errors.ts';
import { type JsonValue, MAX_DEPTH, toFrozenJson } from '../internal/json.ts';
import { canonicalJson } from '../internal/canonical-json.ts';
import { callDigest, type DigestedCall } from './digest.ts';

const call: DigestedCall = {
  step: 'step-1',
  index: 0,
  path: [],
  toolName: 'delete_file',
  args: { path: '.env' },
  validatedArgs: { path: '.env', force: false },
  schemaHash: 'abc',
  toolVersion: '1',
  preview: { text: 'Deletes .env' },
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('the digest of a call', () => {
  it('is the SHA-256 of a documented list', async () => {
    const text =
      '["holdpoint/call/2","step-1",0,[],"delete_file",{"path":".env"},{"force":false,"path":".env"},"abc","1",{"text":"Deletes .env"}]';

    expect(await callDigest(call)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('uses `null` for missing fields', async () => {
    const {
      validatedArgs: _args,
      schemaHash: _,
      toolVersion: _version,
      preview: _preview,
      ...bare
    } = call;
    const text =
      '["holdpoint/call/2","step-1",0,[],"delete_file",{"path":".env"},null,null,null,null]';

    expect(await callDigest(bare)).toBe(createHash('sha256').update(text).digest('hex'));
    expect(await callDigest({ ...bare, toolVersion: undefined })).toBe(await callDigest(bare));
  });

  it('differs if any field differs', async () => {
    const others: readonly Partial<DigestedCall>[] = [
      {},
      { step: 'step-2' },
      { index: 1 },
      { path: ['a'] },
      { path: ['a', 'b'] },
      { path: ['a/b'] },
      { toolName: 'delete_folder' },
      { validatedArgs: { path: '.env', force: true } },
      { args: { path: '.env ' } },
      { args: [{ path: '.env' }] },
      { args: '{"path":".env"}' },
      { args: null },
      { schemaHash: 'abd' },
      { schemaHash: undefined },
      { toolVersion: '2' },
      { toolVersion: '' },
      { toolVersion: undefined },
      { schemaHash: '1', toolVersion: 'abc' },
      { preview: 'Deletes .env' },
      { preview: undefined },
    ];

    const digests = others.map((other) => callDigest({ ...call, ...other }));

    expect(new Set(await Promise.all(digests)).size).toBe(others.length);
  });

  it('does not depend on the order of members or on a round trip through JSON', async () => {
    const args = { b: [1, -0], a: { d: 1e21, c: 'é' } };
    const turned = { a: { c: 'é', d: 1e21 }, b: [1, -0] };

    const digest = await callDigest({ ...call, args });

    expect(await callDigest({ ...call, args: turned })).toBe(digest);
    expect(await callDigest({ ...call, args: JSON.parse(JSON.stringify(args)) })).toBe(digest);
  });

  it('accepts arguments of the maximum depth of a history', async () => {
    let args: JsonValue = 0;
    for (let level = 0; level < MAX_DEPTH; level++) args = [args];

    expect(toFrozenJson(args, 'args')).toEqual(args);
    expect(await callDigest({ ...call, args })).toMatch(/^[\da-f]{64}$/);
  });

  it('throws an error with the part of a call that is not JSON', async () => {
    const args = { amount: 1n } as unknown as JsonValue;

    await expect(callDigest({ ...call, args })).rejects.toThrow('args.amount');
    await expect(callDigest({ ...call, index: Number.NaN })).rejects.toThrow('index');
  });

  it('throws an error with advice outside of a secure context', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    vi.stubGlobal('crypto', {});

    await expect(callDigest(call)).rejects.toThrow(UserError);
    await expect(callDigest(call)).rejects.toThrow('https');
  });
});

describe('digests of any two calls', () => {
  const text = fc.constantFrom('', 'a', 'b', '","', '/', 'null');
  const optional = fc.option(text, { nil: undefined });
  const calls: fc.Arbitrary<DigestedCall> = fc.record({
    step: text,
    index: fc.nat({ max: 2 }),
    path: fc.array(text, { maxLength: 2 }),
    toolName: text,
    args: fc.oneof(text, fc.array(text, { maxLength: 2 }), arbitraryJson),
    schemaHash: optional,
    toolVersion: optional,
    preview: fc.option(fc.oneof(text, arbitraryJson), { nil: undefined }),
  });
  const one = fc.constantFrom<keyof DigestedCall>(
    'step',
    'index',
    'path',
    'toolName',
    'args',
    'schemaHash',
    'toolVersion',
    'preview',
  );

  it('are equal exactly if the calls are', async () => {
    await fc.assert(
      // The second call differs in one field, or in nothing.
      fc.asyncProperty(calls, calls, one, async (left, other, field) => {
        const right = { ...left, [field]: other[field] };
        const same = canonicalJson(left[field] ?? null) === canonicalJson(right[field] ?? null);

        expect((await callDigest(left)) === (await callDigest(right))).toBe(same);
      }),
      { numRuns: 1000 },
    );
  });
});
