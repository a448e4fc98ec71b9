import { describe, expect, it } from 'vitest';
import type { Hold } from '../../page/client/types.ts';
import { linesOf, summaryOf } from '../../page/holds/hold-text.ts';

/** A hold with these members. The functions under test read no others. */
const hold = (members: Partial<Hold>) => members as Hold;

describe('a call in a list', () => {
  it('has the arguments that the tool will receive, and not those that the model sent', () => {
    const call = { args: {}, validatedArgs: { euros: 1_000 } };

    expect(summaryOf(hold(call))).toBe('euros: 1000');
    expect(summaryOf(hold({ ...call, preview: 'Pays 1,000 euros.' }))).toBe('Pays 1,000 euros.');
  });
});

describe('a call that is approved together with others', () => {
  it('is shown with its preview and the arguments that the tool will receive', () => {
    const call = { args: {}, validatedArgs: { euros: 1_000 }, preview: 'Pays acme.' };

    expect(linesOf(hold(call))).toEqual({ lines: ['Pays acme.', 'euros: 1000'], isWhole: true });
  });

  it.each<[string, Partial<Hold>]>([
    ['a long text', { args: { to: 'x'.repeat(300), euros: 1_000 } }],
    [
      'many members',
      { args: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`a${i}`, i])) },
    ],
    ['a long list', { args: { all: Array.from({ length: 200 }, (_, index) => index) } }],
    ['a long preview', { args: {}, preview: 'x'.repeat(301) }],
  ])('is not whole with %s', (_name, call) => {
    expect(linesOf(hold(call)).isWhole).toBe(false);
  });
});
