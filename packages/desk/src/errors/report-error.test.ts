import { describe, expect, it, vi } from 'vitest';
import { errorLine, reporterOf } from './report-error.ts';

describe('the line of an error', () => {
  it('has its code, its causes and the run, and no line breaks', () => {
    const cause = Object.assign(new Error('connect\nrefused'), { code: 'ECONNREFUSED' });
    const error = new TypeError('No answer.\u001b[2J', { cause });

    expect(errorLine(error, { runId: 'r1', outcome: 'stuck' })).toBe(
      'TypeError: No answer.⟨U+001B⟩[2J Cause: [ECONNREFUSED] Error: connect refused runId=r1 outcome=stuck',
    );
  });

  it.each([
    [Object.create(null), /cannot be shown/],
    [
      {
        get message() {
          throw new Error('no');
        },
      },
      /object Object/,
    ],
    ['a text', /^a text$/],
    [undefined, /^$/],
  ])('can be made of any thrown value', (thrown, expected) => {
    expect(errorLine(thrown)).toMatch(expected);
  });
});

describe('desk B13: the reporter of errors', () => {
  it('prints without onError, and also if onError throws or rejects', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});

    reporterOf(undefined)(new Error('first'));
    reporterOf(() => {
      throw new Error('broken');
    })(new Error('second'));
    reporterOf(async () => {
      throw new Error('rejected');
    })(new Error('third'));
    await Promise.resolve();
    await Promise.resolve();

    const lines = printed.mock.calls.map(([line]) => String(line));
    printed.mockRestore();
    expect(lines).toEqual([
      'holdpoint desk: Error: first',
      'holdpoint desk: Error: second',
      'holdpoint desk: Error: broken',
      'holdpoint desk: Error: third',
      'holdpoint desk: Error: rejected',
    ]);
  });
});
