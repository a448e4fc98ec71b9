import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../models/tool-definition.ts';
import { tool } from './define-tool.ts';
import { renderSignature, schemaToType } from './schema-to-type.ts';

describe('the signature of a tool', () => {
  it('contains its description, its arguments and its return type', () => {
    const search = tool({
      description: 'Searches the web.\nReturns */ the best hits.',
      inputSchema: z.object({
        query: z.string().describe('What to look for.'),
        limit: z.number().int().optional(),
        sites: z.array(z.enum(['news', 'docs'])).optional(),
      }),
      outputSchema: z.array(z.object({ title: z.string(), score: z.number().nullable() })),
      execute: () => [],
    });

    const signature = renderSignature(search.definitionAs('web-search'));

    expect(signature).toBe(
      '/** Searches the web. Returns *\\/ the best hits. */\n' +
        'declare function web_search(args: { /** What to look for. */ query: string; limit?: number; ' +
        'sites?: ("news" | "docs")[] }): Promise<{ title: string; score: number | null }[]>;',
    );
  });

  it('uses `unknown` for a type that it cannot determine', () => {
    const plain = tool({ execute: () => 1 });

    expect(renderSignature(plain.definitionAs('2fa'))).toBe(
      'declare function _2fa(args: {}): Promise<unknown>;',
    );
  });
});

describe('seeds 14: the signature of a tool with a body', () => {
  const definition = tool({
    description: 'Deletes a file.',
    inputSchema: z.object({ path: z.string() }),
    outputSchema: z.boolean(),
    execute: () => true,
  }).definitionAs('delete_file');

  it('is a function with that body', () => {
    expect(renderSignature(definition, { body: "return call('delete_file', args);" })).toBe(
      [
        '/** Deletes a file. */',
        'async function delete_file(args: { path: string }): Promise<boolean> {',
        "  return call('delete_file', args);",
        '}',
      ].join('\n'),
    );
  });

  it('indents each line of the body', () => {
    const source = renderSignature(definition, { body: 'const a = 1;\n\nreturn a > 0;' });

    expect(source).toContain(' {\n  const a = 1;\n\n  return a > 0;\n}');
  });

  it('may have another name and another description, or none', () => {
    expect(renderSignature(definition, { name: 'remove', description: 'Removes it.' })).toBe(
      '/** Removes it. */\ndeclare function remove(args: { path: string }): Promise<boolean>;',
    );
    expect(renderSignature(definition, { description: '' })).toBe(
      'declare function delete_file(args: { path: string }): Promise<boolean>;',
    );
  });

  it('is valid TypeScript', () => {
    const source = renderSignature(definition, { body: 'return true;' });

    expect(ts.transpileModule(source, { reportDiagnostics: true }).diagnostics).toEqual([]);
  });
});

describe('a schema as a type', () => {
  const point: JsonSchema = {
    type: 'object',
    properties: { x: { type: 'number' }, 'y-axis': { type: ['number', 'null'] } },
    required: ['x'],
  };

  it.each<[string, JsonSchema, string]>([
    ['an object', point, '{ x: number; "y-axis"?: number | null }'],
    [
      'a reference',
      { $ref: '#/$defs/p', $defs: { p: point } },
      '{ x: number; "y-axis"?: number | null }',
    ],
    ['a reference to nowhere', { $ref: '#/$defs/q' }, 'unknown'],
    ['a reference elsewhere', { $ref: 'https://example.com/x.json' }, 'unknown'],
    [
      'a list of choices',
      { type: 'array', items: { anyOf: [{ const: 1 }, { type: 'string' }] } },
      '(1 | string)[]',
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }] },
      '[string, boolean]',
    ],
    [
      'a record',
      { type: 'object', additionalProperties: { type: 'number' } },
      '{ [key: string]: number }',
    ],
    ['any object', { type: 'object' }, 'Record<string, unknown>'],
    [
      'an intersection',
      { allOf: [{ anyOf: [{ const: 1 }, { const: 2 }] }, point] },
      '(1 | 2) & { x: number; "y-axis"?: number | null }',
    ],
    ['nothing', {}, 'unknown'],
    ['a type that there is not', { type: 'money' }, 'unknown'],
  ])('is written for %s', (_what, schema, expected) => {
    expect(schemaToType(schema)).toBe(expected);
  });

  it('ends at a recursive reference', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };

    expect(schemaToType({ $ref: '#/$defs/node', $defs: { node } })).toBe('{ next?: unknown }');
  });

  it('is valid TypeScript', () => {
    const schema = z.toJSONSchema(
      z.object({
        kind: z.literal('a'),
        when: z.union([z.string(), z.number()]).array(),
        pair: z.tuple([z.string(), z.boolean()]),
        more: z.record(z.string(), z.unknown()),
      }),
    ) as JsonSchema;

    const source = `type T = ${schemaToType(schema)};`;
    const { diagnostics } = ts.transpileModule(source, { reportDiagnostics: true });

    expect(diagnostics).toEqual([]);
  });
});
