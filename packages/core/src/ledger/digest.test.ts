import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { arbitraryJson } from '../../test/support/arbitrary-messages.ts';
import { InvalidJsonError, UserError } from '../errors/user-errors.ts';
import { canonicalJson } from '../internal/canonical-json.ts';
import { type JsonValue, MAX_DEPTH, toFrozenJson } from '../internal/json.ts';
import { sha256 } from '../internal/sha-256.ts';
import { type JsonSchema, markDefaultsApplied } from '../models/tool-definition.ts';
import { tool } from '../tools/define-tool.ts';
import { callDigest, type DigestedCall, schemaHash } from './digest.ts';

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

// The function is unchanged; the spy only counts its calls.
vi.mock('../internal/sha-256.ts', { spy: true });

const hash = (parametersJsonSchema: JsonSchema) => schemaHash({ parametersJsonSchema });

const base = {
  type: 'object',
  properties: { path: { type: 'string' }, mode: { enum: ['soft', 'hard'] } },
  required: ['path'],
} as const;

/** Annotations, which do not change what a schema accepts. */
const annotations = {
  description: 'Deletes.',
  examples: [{ path: 'b' }],
  title: 'Delete',
  $comment: 'Careful.',
};

describe('the hash of a schema', () => {
  it('security H2: depends on a default that validation does not apply', async () => {
    const raw = { properties: { amount: { type: 'number', default: 10 } } };
    const changed = { properties: { amount: { type: 'number', default: 1000 } } };

    expect(await hash(raw)).not.toBe(await hash(changed));
  });

  it('does not depend on a default that validation applies, which may be computed', async () => {
    const applied = { properties: { amount: { type: 'number', default: 10 } } };
    const changed = { properties: { amount: { type: 'number', default: 1000 } } };
    markDefaultsApplied(applied);
    markDefaultsApplied(changed);

    expect(await hash(applied)).toBe(await hash(changed));
  });

  it('does not depend on annotations, at any depth', async () => {
    const inner = { type: 'string' };
    const nestings: readonly ((schema: JsonSchema) => JsonSchema)[] = [
      (schema) => schema,
      (schema) => ({ properties: { a: schema } }),
      (schema) => ({ patternProperties: { '^a': schema } }),
      (schema) => ({ $defs: { a: schema } }),
      (schema) => ({ definitions: { a: schema } }),
      (schema) => ({ dependentSchemas: { a: schema } }),
      (schema) => ({ dependencies: { a: schema, b: ['c'] } }),
      (schema) => ({ additionalProperties: schema }),
      (schema) => ({ unevaluatedProperties: schema }),
      (schema) => ({ propertyNames: schema }),
      (schema) => ({ items: schema }),
      (schema) => ({ items: [schema, true] }),
      (schema) => ({ prefixItems: [true, schema] }),
      (schema) => ({ additionalItems: schema }),
      (schema) => ({ unevaluatedItems: schema }),
      (schema) => ({ contains: schema }),
      (schema) => ({ contentSchema: schema }),
      (schema) => ({ allOf: [schema] }),
      (schema) => ({ anyOf: [schema, { type: 'null' }] }),
      (schema) => ({ oneOf: [schema] }),
      (schema) => ({ not: schema }),
      ...['if', 'then', 'else'].map((keyword) => (schema: JsonSchema) => ({ [keyword]: schema })),
      (schema) => ({ properties: { a: { items: { anyOf: [schema] } } } }),
    ];

    for (const nest of nestings) {
      const plain = await hash(nest(inner));
      expect(await hash(nest({ ...inner, ...annotations }))).toBe(plain);
      expect(await hash(nest({ ...inner, minLength: 1 }))).not.toBe(plain);
    }
  });

  it('depends on properties that have the name of an annotation', async () => {
    for (const name of Object.keys(annotations)) {
      for (const keyword of ['properties', '$defs', 'patternProperties', 'dependentSchemas']) {
        const with_ = await hash({ ...base, [keyword]: { [name]: { type: 'string' } } });

        expect(with_).not.toBe(await hash({ ...base, [keyword]: {} }));
        expect(with_).not.toBe(await hash({ ...base, [keyword]: { [name]: { type: 'number' } } }));
      }
    }
  });

  it('depends on data that looks like a schema', async () => {
    const hashes = await Promise.all([
      hash({ const: { description: 'a' } }),
      hash({ const: { description: 'b' } }),
      hash({ const: {} }),
      hash({ enum: [{ title: 'a' }] }),
      hash({ enum: [{ title: 'b' }] }),
      hash({ 'x-limits': { default: 1 } }),
      hash({ 'x-limits': { default: 2 } }),
    ]);

    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('depends on every keyword that affects validation', async () => {
    const hashes = await Promise.all([
      hash(base),
      hash({ ...base, required: [] }),
      hash({ ...base, additionalProperties: false }),
      hash({ ...base, additionalProperties: true }),
      hash({ ...base, properties: { ...base.properties, mode: { enum: ['soft'] } } }),
      hash({ ...base, properties: { path: { type: 'string', format: 'uri' } } }),
      hash(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')),
      hash({ type: 'object', properties: {} }),
      hash({}),
    ]);

    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not depend on the order of keywords and properties', async () => {
    const { type, properties, required } = base;
    const turned = { required, properties: { mode: properties.mode, path: properties.path }, type };

    expect(await hash(turned)).toBe(await hash(base));
  });

  it('is computed once for a schema object', async () => {
    vi.mocked(sha256).mockClear();
    const { parametersJsonSchema } = tool({
      name: 'delete_file',
      inputSchema: z.object({ path: z.string().describe('Which.') }),
      execute: () => 'done',
    }).definitionAs('delete_file');

    const hashes = await Promise.all([hash(parametersJsonSchema), hash(parametersJsonSchema)]);
    hashes.push(await hash(parametersJsonSchema));

    expect(new Set(hashes).size).toBe(1);
    expect(sha256).toHaveBeenCalledOnce();
  });

  it('rejects a schema that is not JSON or too deep', async () => {
    let deep: JsonSchema = {};
    for (let level = 0; level < 10_000; level++) deep = { not: deep };

    await expect(hash(deep)).rejects.toThrow(InvalidJsonError);
    // Callers without types may pass any value.
    await expect(hash({ maximum: 1n as unknown as number })).rejects.toThrow(
      'parametersJsonSchema',
    );
  });

  it('is the same for any schema with and without annotations', async () => {
    const name = fc.constantFrom('a', 'default', 'title', '__proto__', 'properties');
    const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => {
      const named = fc
        .array(fc.tuple(name, tie('schema')), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries));
      return {
        schema: fc.oneof(
          { maxDepth: 3 },
          fc.constantFrom<JsonSchema>({}, { type: 'string' }, { const: { title: 1 } }),
          named.map((properties) => ({ type: 'object', properties })),
          tie('schema').map((items) => ({ type: 'array', items })),
          fc.array(tie('schema'), { maxLength: 2 }).map((anyOf) => ({ anyOf })),
        ),
      };
    }).schema;

    await fc.assert(
      fc.asyncProperty(schemas, async (schema) => {
        expect(await hash(annotated(schema))).toBe(await hash(schema));
      }),
    );
  });
});

/** A schema with annotations on each of its nested schemas. */
function annotated(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...annotations,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, annotated(one as JsonSchema)]),
      ),
    }),
    ...(items && { items: annotated(items as JsonSchema) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((one: JsonSchema) => annotated(one)) }),
  };
}
