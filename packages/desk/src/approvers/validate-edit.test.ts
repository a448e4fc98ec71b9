import type { JsonObject, JsonValue } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { problemsOfEdit } from './validate-edit.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

const SLOW = String.raw`^(\w+\s?)*$`;
const LETTERS = `${'a'.repeat(40)}!`;

/** A small schema with 2 to the power of 40 parts. */
function bomb(): JsonObject {
  const $defs: Record<string, JsonValue> = { d40: { type: 'string' } };
  for (let index = 0; index < 40; index++) {
    const next = { $ref: `#/$defs/d${index + 1}` };
    $defs[`d${index}`] = { allOf: [next, next] };
  }
  return object({ text: { $ref: '#/$defs/d0' } }, { $defs });
}

/** Schemas that took seconds, minutes or longer, with arguments that show it. */
const SLOW_CHECKS: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['a pattern', object({ text: { type: 'string', pattern: SLOW } }), { text: LETTERS }],
  ['names of members', object({}, { patternProperties: { [SLOW]: {} } }), { [LETTERS]: 1 }],
  ['a pattern for names', object({}, { propertyNames: { pattern: SLOW } }), { [LETTERS]: 1 }],
  [
    'a pattern behind a reference to an unknown keyword',
    object({ text: { $ref: '#/x-hidden' } }, { 'x-hidden': { pattern: SLOW } }),
    { text: LETTERS },
  ],
  [
    'a pattern inside of `not`, `if` and `oneOf`',
    object({
      text: { not: { pattern: SLOW }, if: { pattern: SLOW }, oneOf: [{ pattern: SLOW }, {}] },
    }),
    { text: LETTERS },
  ],
  ['a format', object({ text: { format: 'url' } }), { text: `http://${LETTERS}` }],
  ['unique items', object({ list: { uniqueItems: true } }), { list: Array(300_000).fill(1) }],
];

/** Returns the CPU time, because other processes may delay this one. */
function cpuMsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

describe('security M6: a schema that could block the desk', () => {
  it.each(SLOW_CHECKS)('is validated quickly without %s', (_, schema, args) => {
    const begun = process.cpuUsage();

    expect(problemsOfEdit({ schema }, args)).toEqual([]);

    expect(cpuMsSince(begun)).toBeLessThan(5_000);
  });

  it('is rejected if it needs too much work', () => {
    const long = { text: 'x'.repeat(1_000_000) };
    for (const args of [{ text: 'short' }, long]) {
      const begun = process.cpuUsage();
      const problems = problemsOfEdit({ schema: bomb() }, args);
      expect(problems).toMatchObject([{ message: expect.stringMatching(/cannot be used/) }]);
      expect(cpuMsSince(begun)).toBeLessThan(5_000);
    }
  });
});

describe('an edit', () => {
  it.each<[JsonObject, JsonValue, readonly string[]]>([
    [object({ pattern: { type: 'number' } }), { pattern: 'x' }, ['/pattern']],
    [object({ a: { type: 'string', minLength: 3, pattern: '^a' } }), { a: 'a' }, ['/a']],
    [object({ a: { format: 'email' } }), { a: 'nobody' }, ['/a']],
    [object({ a: { enum: [1, { pattern: 'x' }] } }), { a: { pattern: 'x' } }, []],
    [object({ a: { not: { type: 'string' } } }), { a: 'x' }, ['/a']],
    [object({ a: { oneOf: [{ type: 'string' }, { minLength: 1 }] } }), { a: 'x' }, ['/a']],
    // Only the pattern determines the matching alternative, so the tool decides.
    [object({ a: { oneOf: [{ pattern: '^a' }, { pattern: '^b' }] } }), { a: 'b' }, []],
    [object({ a: { not: { pattern: '^a' } } }), { a: 'b' }, []],
    [object({}, { patternProperties: { '^x': {} }, additionalProperties: false }), { x1: 1 }, []],
    [object({ a: { uniqueItems: true } }), { a: [1, 1] }, ['/a']],
    [object({ a: { type: 'string' } }, { additionalProperties: false }), { b: 1 }, ['/b']],
  ])('under %j with %j has problems at %j', (schema, args, paths) => {
    expect([...new Set(problemsOfEdit({ schema }, args).map(({ path }) => path))]).toEqual(paths);
  });
});
