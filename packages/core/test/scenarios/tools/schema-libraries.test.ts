import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Agent, fromJsonSchema, nativeOutput, type StandardSchema, tool } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface Trip {
  readonly city: string;
  readonly days: number;
}

interface Library {
  readonly trip: StandardSchema<unknown, Trip>;
  readonly cities: StandardSchema<unknown, readonly string[]>;
}

const libraries: [string, Library][] = [
  [
    'zod',
    {
      trip: z.object({ city: z.string(), days: z.number().min(1) }),
      cities: z.array(z.string()),
    },
  ],
  ['arktype', { trip: type({ city: 'string', days: 'number >= 1' }), cities: type('string[]') }],
  [
    'valibot',
    {
      trip: toStandardJsonSchema(
        v.object({ city: v.string(), days: v.pipe(v.number(), v.minValue(1)) }),
      ),
      cities: toStandardJsonSchema(v.array(v.string())),
    },
  ],
];

const trip: Trip = { city: 'Rome', days: 3 };
const tooShort = { city: 'Rome', days: 0 };

describe.each(libraries)('a schema of %s', (_, { trip: schema, cities }) => {
  const tripJson = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'number', minimum: 1 } },
    required: expect.arrayContaining(['city', 'days']),
  };

  it('defines and validates the input of a tool', async () => {
    const booked: unknown[] = [];
    const book = tool({
      name: 'book',
      inputSchema: schema,
      execute: (args) => void booked.push(args),
    });
    const model = scriptedModel(
      calls('book', { ...tooShort }),
      calls('book', { ...trip }),
      'Booked.',
    );

    await new Agent({ model, tools: [book] }).run('Book it.');

    expect(model.calls[0]?.functionTools).toMatchObject([{ parametersJsonSchema: tripJson }]);
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', toolName: 'book', content: [{ path: ['days'], input: 0 }] },
    ]);
    expect(booked).toEqual([trip]);
  });

  it('defines and validates an output', async () => {
    const model = scriptedModel(
      calls('final_result', { ...tooShort }),
      calls('final_result', { ...trip }),
    );

    const result = await new Agent({ model, output: schema }).run('Plan it.');

    expect(result.output).toEqual(trip);
    expect(model.calls[0]?.outputTools).toMatchObject([{ parametersJsonSchema: tripJson }]);
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', content: [{ path: ['days'], input: 0 }] },
    ]);
  });

  it('defines a list, under a key', async () => {
    const model = scriptedModel(calls('final_result', { value: ['Rome', 'Pisa'] }));

    const result = await new Agent({ model, output: cities }).run('Where?');

    expect(result.output).toEqual(['Rome', 'Pisa']);
    expect(model.calls[0]?.outputTools).toMatchObject([
      {
        parametersJsonSchema: {
          properties: { value: { type: 'array', items: { type: 'string' } } },
        },
      },
    ]);
  });

  it('defines JSON text', async () => {
    const model = scriptedModel(JSON.stringify(tooShort), JSON.stringify(trip));

    const result = await new Agent({ model, output: nativeOutput(schema) }).run('Plan it.');

    expect(result.output).toEqual(trip);
    expect(model.calls[0]?.outputSchema).toMatchObject({ schema: tripJson });
  });
});

describe('a schema of nothing but JSON Schema', () => {
  const json = { type: 'object', properties: { city: { type: 'string' } } } as const;

  it('is sent to the model, and nothing is validated', async () => {
    const seen: unknown[] = [];
    const visit = tool({
      name: 'visit',
      inputSchema: fromJsonSchema<{ city: string }>(json),
      execute: (args) => void seen.push(args),
    });
    const model = scriptedModel(calls('visit', { city: 1 }), 'Done.');

    await new Agent({ model, tools: [visit] }).run('Go.');

    expect(model.calls[0]?.functionTools).toMatchObject([{ parametersJsonSchema: json }]);
    expect(seen).toEqual([{ city: 1 }]);
  });

  it('is validated by the given function', async () => {
    const schema = fromJsonSchema<string>(json, (value) => {
      if (typeof value === 'object' && value && 'city' in value) return String(value.city);
      throw new Error('Where?');
    });
    const model = scriptedModel(calls('final_result', {}), calls('final_result', { city: 'Rome' }));

    const result = await new Agent({ model, output: schema }).run('Go.');

    expect(result.output).toBe('Rome');
    expect(model.calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', content: [{ path: [], message: 'Where?' }] },
    ]);
  });
});

describe('a schema without a JSON Schema', () => {
  it('is rejected with a hint, as a tool and as an output', () => {
    const bare = v.object({ city: v.string() });
    const hint = /toStandardJsonSchema/;

    expect(() => tool({ name: 'visit', inputSchema: bare, execute: () => 1 })).toThrow(hint);
    expect(() => new Agent({ model: 'test', output: bare })).toThrow(hint);
  });
});

describe('a schema that validates with a custom promise', () => {
  it('is awaited: no invalid value passes', async () => {
    const seen: unknown[] = [];
    const failure = { issues: [{ message: 'Never.' }] };
    // oxlint-disable-next-line unicorn/no-thenable -- as promises of other libraries and realms are
    const thenable = { then: (done: (result: typeof failure) => void) => done(failure) };
    const inputSchema: StandardSchema<unknown, object> = {
      '~standard': {
        ...fromJsonSchema<object>({ type: 'object' })['~standard'],
        validate: () => thenable as Promise<typeof failure>,
      },
    };
    const never = tool({ name: 'never', inputSchema, execute: (args) => void seen.push(args) });

    await new Agent({ model: scriptedModel(calls('never'), 'Done.'), tools: [never] }).run('Go.');

    expect(seen).toEqual([]);
  });
});
