import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import {
  Agent,
  fromJsonSchema,
  nativeOutput,
  type StandardSchema,
  tool,
  UserError,
} from 'holdpoint';
import type { JsonSchema } from 'holdpoint/models';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, partsOf, sentTo } from '../../support/conversation.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';

const execute = () => 'done';

/** Returns the error of creating a tool with this schema. */
function mistakeIn(inputSchema: StandardSchema, more: object = {}): unknown {
  try {
    tool({ name: 'work', inputSchema, execute, ...more });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a schema that JSON Schema cannot express', () => {
  it.each<[string, StandardSchema]>([
    ['a date of zod', z.object({ at: z.date() })],
    ['a bigint of zod', z.object({ id: z.bigint() })],
    ['a custom type of zod', z.object({ x: z.custom<object>(() => true) })],
    ['a map of zod', z.object({ x: z.map(z.string(), z.string()) })],
    ['valibot without its converter', v.object({ path: v.string() })],
    ['a date of valibot', toStandardJsonSchema(v.object({ at: v.date() }))],
  ])('is rejected when the tool is created: %s', (_what, schema) => {
    const error = mistakeIn(schema);

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('tool `work`') });
    expect(error).toMatchObject({ message: expect.stringContaining('JSON Schema') });
  });

  it('is rejected as the schema of an output and of a result too', () => {
    const dated = z.object({ at: z.date() });

    expect(() => new Agent({ model: scriptedModel(), output: dated })).toThrow(UserError);
    expect(() => new Agent({ model: scriptedModel(), output: nativeOutput(dated) })).toThrow(
      UserError,
    );
    expect(() => tool({ name: 'work', outputSchema: dated, execute })).toThrow(UserError);
  });

  it('is offered with gaps where its library leaves gaps, as arktype does', () => {
    const work = tool({ name: 'work', inputSchema: type({ at: 'Date' }), execute });

    expect(work.definitionAs('work').parametersJsonSchema).toMatchObject({
      properties: { at: {} },
    });
  });

  it('keeps the error of its library as the cause', () => {
    expect(mistakeIn(z.object({ at: z.date() }))).toMatchObject({ cause: expect.any(Error) });
  });

  it('works with a converter, whose schema is sent to the model', async () => {
    const work = tool({
      name: 'work',
      inputSchema: z.object({ at: z.coerce.date() }),
      jsonSchema: () => ({ type: 'object', properties: { at: { type: 'string' } } }),
      execute: ({ at }) => at.getTime(),
    });
    const model = scriptedModel(calls('work', { at: '1970-01-01T00:00:01Z' }), says('Done.'));

    const result = await new Agent({ model, tools: [work] }).run('Go.');

    expect(present(model.calls[0]).functionTools[0]?.parametersJsonSchema).toEqual({
      type: 'object',
      properties: { at: { type: 'string' } },
    });
    expect(partsOf(result.messages)[2]).toMatchObject({ content: 1000 });
  });

  it.each<[string, () => unknown]>([
    ['throws', failing],
    ['gives nothing', () => undefined],
    ['gives null', () => null],
    ['gives true', () => true],
    ['gives a list', () => []],
    ['gives a text', () => 'object'],
    ['gives what JSON cannot hold', () => ({ type: 'object', default: 5n })],
    ['is async', async () => ({ type: 'object' })],
  ])('is rejected when its converter %s', (_what, jsonSchema) => {
    const error = mistakeIn(z.object({}), { jsonSchema });

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('tool `work`') });
  });
});

describe('an input schema that is not an object', () => {
  it.each<[string, StandardSchema]>([
    ['a text', z.string()],
    ['a list', z.array(z.string())],
    ['anything', z.any()],
    ['a text or nothing', z.string().nullable()],
    ['a text or a number', z.union([z.string(), z.number()])],
    ['a text of arktype', type('string')],
    ['a text or a number of arktype', type('string | number')],
    ['a list of valibot', toStandardJsonSchema(v.array(v.string()))],
  ])('is rejected: %s', (_what, schema) => {
    expect(mistakeIn(schema)).toBeInstanceOf(UserError);
  });

  it.each<[string, StandardSchema]>([
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a record', z.record(z.string(), z.number())],
    ['an object of arktype', type({ path: 'string' })],
    ['an object of valibot', toStandardJsonSchema(v.object({ path: v.string() }))],
  ])('is not %s', (_what, schema) => {
    expect(mistakeIn(schema)).toBeUndefined();
  });
});

describe('parameters that must be described', () => {
  const requireParameterDescriptions = true;

  it('are named if a description is missing', () => {
    const schema = z.object({ a: z.string().describe('A.'), b: z.string(), c: z.number() });

    expect(mistakeIn(schema, { requireParameterDescriptions })).toMatchObject({
      message: expect.stringMatching(/`work`.*b, c/),
    });
  });

  it.each<[string, StandardSchema]>([
    ['optional', z.object({ a: z.string().describe('A.').optional() })],
    ['described as a whole', z.object({ a: z.string().optional().describe('A.') })],
    ['none', z.object({})],
  ])('are accepted when they are %s', (_what, schema) => {
    expect(mistakeIn(schema, { requireParameterDescriptions })).toBeUndefined();
  });

  it('are checked in every variant of a union', () => {
    const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);

    expect(mistakeIn(schema, { requireParameterDescriptions })).toBeInstanceOf(UserError);
  });
});

describe('a schema made from JSON Schema', () => {
  const json = { type: 'object', properties: { n: { type: 'number' } } } satisfies JsonSchema;

  it('accepts everything without a validator, and keeps the schema', async () => {
    const echo = tool({ name: 'echo', inputSchema: fromJsonSchema(json), execute: (args) => args });
    const model = scriptedModel(calls('echo', { n: 'x' }), says('Done.'));

    const result = await new Agent({ model, tools: [echo] }).run('Go.');

    expect(partsOf(result.messages)[2]).toMatchObject({ content: { n: 'x' } });
    expect(Object.isFrozen(json.properties)).toBe(false);
  });

  it('sends arguments back that its validator rejects', async () => {
    const inputSchema = fromJsonSchema(json, async (value) => {
      if (typeof (value as { n: unknown }).n !== 'number') throw new Error('n is not a number');
      return value;
    });
    const echo = tool({ name: 'echo', inputSchema, execute: (args) => args });
    const model = scriptedModel(calls('echo', { n: 'x' }), calls('echo', { n: 1 }), says('Done.'));

    await new Agent({ model, tools: [echo] }).run('Go.');

    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([
      { kind: 'retry-prompt', content: [{ path: [], message: 'n is not a number' }] },
    ]);
    expect(lastPartsOf(sentTo(model, 2))).toMatchObject([{ content: { n: 1 } }]);
  });
});

describe('tools that cannot work together', () => {
  const named = (name?: string) => tool({ name, execute });
  const model = scriptedModel();

  it('are two of the same name, and one without a name in a list', () => {
    expect(() => new Agent({ model, tools: [named('a'), named('a')] })).toThrow('`a`');
    expect(() => new Agent({ model, tools: [named('a'), named()] })).toThrow('`tools[1]`');
    expect(() => new Agent({ model, tools: { a: named() } })).not.toThrow();
  });

  it('are a tool and an output of the same name', async () => {
    const tools = { final_result: named() };
    const agent = new Agent({ model, tools, output: z.object({ n: z.number() }) });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('`final_result`') });
    expect(model.calls).toEqual([]);
  });

  it.each([0, -1, Number.NaN])('have a timeout of %d', (timeout) => {
    expect(() => tool({ execute, timeout })).toThrow(UserError);
    expect(() => new Agent({ model, toolTimeout: timeout })).toThrow(UserError);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('have %d retries', (maxRetries) => {
    expect(() => tool({ execute, maxRetries })).toThrow(UserError);
  });
});

function failing(): never {
  throw new Error('Not that one.');
}
