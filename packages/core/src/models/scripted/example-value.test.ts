import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../tool-definition.ts';
import { exampleValue } from './example-value.ts';

describe('exampleValue', () => {
  it.each<[string, JsonSchema, unknown]>([
    ['anything', {}, 'a'],
    ['text', { type: 'string' }, 'a'],
    ['long text', { type: 'string', minLength: 3 }, 'aaa'],
    ['text that must be empty', { type: 'string', maxLength: 0 }, ''],
    ['a date', { type: 'string', format: 'date' }, '2026-01-01'],
    ['a format that nobody knows', { type: 'string', format: 'shoe-size' }, 'a'],
    ['a number', { type: 'number' }, 0],
    ['a whole number from 3', { type: 'integer', minimum: 3 }, 3],
    ['a whole number above 3', { type: 'integer', exclusiveMinimum: 3 }, 4],
    ['a number below 0', { type: 'integer', exclusiveMaximum: 0 }, -1],
    ['a number of at most -3', { type: 'number', maximum: -3 }, -3],
    ['a number between 0 and 1', { exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    ['a number that may be negative', { type: 'integer', minimum: -9 }, 0],
    ['a multiple', { type: 'integer', minimum: 7, multipleOf: 5 }, 10],
    ['yes or no', { type: 'boolean' }, false],
    ['null', { type: 'null' }, null],
    ['several types', { type: ['integer', 'null'] }, 0],
    ['a constant', { const: { a: null } }, { a: null }],
    ['an enum', { type: 'string', enum: ['red', 'blue'] }, 'red'],
    ['examples', { type: 'string', pattern: '^[A-Z]{3}$', examples: ['ABC'] }, 'ABC'],
    ['a list', { type: 'array', items: { type: 'string' } }, []],
    [
      'a list with two items',
      { type: 'array', items: { type: 'null' }, minItems: 2 },
      [null, null],
    ],
    ['a list without repetition', { items: {}, minItems: 3, uniqueItems: true }, ['a', 'b', 'c']],
    ['a tuple', { prefixItems: [{ type: 'null' }, { type: 'integer' }] }, [null, 0]],
    ['an object', { type: 'object' }, {}],
    [
      'what an object requires',
      { properties: { a: { type: 'integer' }, b: {} }, required: ['a', 'c'] },
      { a: 0, c: 'a' },
    ],
    [
      'an object that must not be empty',
      { properties: { a: {} }, minProperties: 2 },
      { a: 'a', property1: 'a' },
    ],
    ['alternatives', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 0],
    ['one of several', { oneOf: [{ type: 'null' }, { type: 'integer' }] }, null],
    ['a branch that nothing fits', { anyOf: [false, { type: 'integer' }] }, 0],
    [
      'alternatives that say more about an object',
      { properties: { a: { type: 'null' } }, anyOf: [{ required: ['a'] }] },
      { a: null },
    ],
    [
      'all of several',
      { allOf: [{ type: 'number', minimum: 2 }, { type: 'integer' }, { minimum: 5 }] },
      5,
    ],
    [
      'properties of all of several',
      {
        allOf: [
          { properties: { a: { minimum: 1 } }, required: ['a'] },
          { properties: { a: { type: 'integer' }, b: {} }, required: ['b'] },
        ],
      },
      { a: 1, b: 'a' },
    ],
    ['enums that overlap', { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, 'b'],
    [
      'alternatives in all of several',
      {
        allOf: [
          { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        ],
      },
      0,
    ],
    ['a reference', { $ref: '#/$defs/id', $defs: { id: { type: 'integer' } } }, 0],
    [
      'a reference with a slash',
      { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'null' } } },
      null,
    ],
    [
      'a reference that says more',
      { $ref: '#/$defs/n', minimum: 4, $defs: { n: { type: 'integer' } } },
      4,
    ],
    [
      'the name __proto__',
      JSON.parse('{"required":["__proto__"]}'),
      JSON.parse('{"__proto__":"a"}'),
    ],
  ])('returns a value for %s', (_, schema, value) => {
    expect(exampleValue(schema)).toEqual(value);
  });

  it('stops at a recursive reference', () => {
    const list = {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['next'],
    };

    expect(exampleValue(list)).toEqual({ next: { next: null } });
  });

  it.each<[string, JsonSchema]>([
    ['needs itself', { properties: { next: { $ref: '#' } }, required: ['next'] }],
    ['contradicts itself', { allOf: [{ type: 'string' }, { type: 'integer' }] }],
    ['allows no number', { type: 'integer', minimum: 2, maximum: 1 }],
  ])('throws if the schema %s', (_, schema) => {
    expect(() => exampleValue(schema)).toThrow('No value fits the schema');
  });

  it('throws for an unknown reference', () => {
    expect(() => exampleValue({ $ref: '#/$defs/gone' })).toThrow(
      'The schema has no `#/$defs/gone`',
    );
    expect(() => exampleValue({ $ref: 'other.json' })).toThrow('The schema has no `other.json`');
  });

  it('returns another value for another seed', () => {
    const schema = {
      properties: { a: {}, b: { type: 'integer' }, c: { enum: [1, 2] }, d: { type: 'boolean' } },
      required: ['a', 'b', 'c', 'd'],
    };

    expect(exampleValue(schema, { seed: 1 })).toEqual({ a: 'b', b: 1, c: 2, d: true });
    expect(exampleValue(schema, { seed: 27 })).toEqual({ a: 'b1', b: 27, c: 2, d: true });
  });

  it.each([0, 1, 2, 30])('satisfies the validator of the schema with seed %i', (seed) => {
    const tree = z.object({
      name: z.string().min(2).max(4),
      get parent() {
        return tree.nullable();
      },
    });
    const schema = z.object({
      tree,
      mail: z.email(),
      id: z.uuid(),
      site: z.url(),
      when: z.iso.datetime(),
      count: z.int().positive().multipleOf(3),
      share: z.number().gt(0).lt(1),
      choice: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), size: z.int() }),
        z.object({ kind: z.literal('b'), names: z.array(z.string()).min(2) }),
      ]),
      both: z.intersection(z.object({ left: z.string() }), z.object({ right: z.boolean() })),
      pair: z.tuple([z.string(), z.number()]),
      table: z.record(z.string(), z.number()),
      maybe: z.string().optional(),
    });

    const value = exampleValue(z.toJSONSchema(schema) as JsonSchema, { seed });

    expect(schema.safeParse(value)).toMatchObject({ success: true });
  });
});
