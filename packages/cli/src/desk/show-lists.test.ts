import type { HoldView, RunSummary } from '@holdpoint/desk/client';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toRows } from '../terminal/rows.ts';
import { widthOf } from '../terminal/width.ts';
import { showHolds, showRuns } from './show-lists.ts';

const NOW = 10_000_000_000;
const MINUTE = 60_000;

function hold(fields: Partial<HoldView> = {}): HoldView {
  return {
    id: 'aaaa0000aaaa0000aaaa0000aaaa0000',
    runId: 'bbbb',
    conversationId: 'cccc',
    agent: 'cashier',
    kind: 'approval',
    toolName: 'pay',
    path: [],
    args: { to: 'ada', euros: 40 },
    digest: 'dddd',
    state: 'open',
    createdAt: NOW - 3 * MINUTE,
    redacted: false,
    votes: [],
    mine: { mayAnswer: true, hasVoted: false },
    ...fields,
  };
}

function run(fields: Partial<RunSummary> = {}): RunSummary {
  return {
    id: 'aaaa0000aaaa0000aaaa0000aaaa0000',
    agent: 'cashier',
    conversationId: 'cccc',
    state: 'parked',
    openHolds: 2,
    createdAt: NOW - 3 * MINUTE,
    updatedAt: NOW,
    ...fields,
  };
}

/** The lines as a terminal of 80 columns shows them. */
const shown = (lines: ReturnType<typeof showHolds>) =>
  toRows(lines, 80).map((row) => row.map(({ text }) => text).join(''));
const holds = (...list: readonly HoldView[]) => shown(showHolds(list, { now: NOW, room: 80 }));
const runs = (...list: readonly RunSummary[]) => shown(showRuns(list, { now: NOW, room: 80 }));

describe('the list of holds', () => {
  it('has a line for each, with what is special about it', () => {
    const inDoubt = { attempt: 'x', reason: 'It was stopped.', since: NOW };

    expect(
      holds(
        hold(),
        hold({ id: 'bbbb1111', kind: 'external', toolName: 'ask', args: { whom: 'grace' } }),
        hold({
          id: 'cccc2222',
          expiresAt: NOW + 90 * MINUTE,
          path: [{ toolName: 'helper', toolCallId: '1' }],
        }),
        hold({ id: 'dddd3333', inDoubt, deniedBefore: true, agent: 'an-agent-with-a-long-name' }),
      ),
    ).toEqual([
      'HOLD      WAITS  AGENT           CALL',
      'aaaa0000  3 min  cashier         pay ada 40',
      'bbbb1111  3 min  cashier         ask grace  needs a result',
      'cccc2222  3 min  cashier         pay ada 40  by helper · expires in 1 h',
      'dddd3333  3 min  an-agent-with…  pay ada 40  ! in doubt · ! denied before',
    ]);
  });

  it('says how they were settled, where some are', () => {
    expect(
      holds(hold({ state: 'consumed', outcome: 'expired' }), hold({ id: 'bbbb1111' })),
    ).toEqual([
      'HOLD      STATE    AGE    AGENT    CALL',
      'aaaa0000  expired  3 min  cashier  pay ada 40',
      'bbbb1111  open     3 min  cashier  pay ada 40',
    ]);
  });

  it('makes visible what cannot be seen', () => {
    const [, line = ''] = holds(hold({ toolName: 'p\u001b[2Jay', args: { to: 'a\u202eb' } }));

    expect(line).toBe('aaaa0000  3 min  cashier  p⟨ESC⟩[2Jay a⟨U+202E⟩b  ! hidden characters');
  });

  it('has one line of at most 80 columns for each, whatever is in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, (agent, toolName, to) => {
        const lines = holds(hold({ agent, toolName, args: { to } }));

        expect(lines).toHaveLength(2);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
      }),
    );
  });
});

describe('the list of runs', () => {
  it('has a line for each, and for whom it is', () => {
    expect(
      runs(
        run({ requester: { id: 'ada', name: 'Ada Lovelace' } }),
        run({ id: 'bbbb1111', state: 'finished', openHolds: 0, requester: { id: 'grace' } }),
        run({ id: 'cccc2222', state: 'stuck', openHolds: 0, createdAt: NOW - 50 * 60 * MINUTE }),
      ),
    ).toEqual([
      'RUN       STATE     HOLDS  AGE    AGENT    REQUESTED BY',
      'aaaa0000  parked    2      3 min  cashier  Ada Lovelace (ada)',
      'bbbb1111  finished         3 min  cashier  grace',
      'cccc2222  stuck            2 d    cashier',
    ]);
  });
});
