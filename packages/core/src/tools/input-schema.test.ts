import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkValue } from './input-schema.ts';

describe('the input of a validation error', () => {
  const schema = z.object({
    to: z.string(),
    lines: z.array(z.object({ euros: z.number() })).optional(),
  });
  const inputsOf = async (value: unknown) => {
    const checked = await checkValue(schema, value);
    return checked.ok ? [] : checked.issues.map(({ path, input }) => ({ path, input }));
  };

  it('is the value at the path', async () => {
    expect(await inputsOf({ to: 7 })).toEqual([{ path: ['to'], input: 7 }]);
  });

  it('is the object that lacks the member if a member is missing', async () => {
    expect(await inputsOf({ too: 'acme' })).toEqual([{ path: ['to'], input: { too: 'acme' } }]);
    expect(await inputsOf({ to: 'acme', lines: [{ cents: 1 }] })).toEqual([
      { path: ['lines', 0, 'euros'], input: { cents: 1 } },
    ]);
  });
});
