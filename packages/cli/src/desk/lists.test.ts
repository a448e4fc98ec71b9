import type { HoldView, RunSummary } from '@holdpoint/desk/client';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toRows } from '../terminal/lines.ts';
import { widthOf } from '../terminal/width.ts';
import { showHolds } from './holds.ts';
import { showRuns } from './runs.ts';

const NOW = 10_000_000_000;
const MINUTE = 60_000;
/** Returns the time `minutes` after NOW. */
const after = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();

function hold(fields: Partial<HoldView> = {}): HoldView {
  return {
    id: 'aaaa0000aaaa0000aaaa0000aaaa0000',
    runId: 'bbbb',
    conversationId: 'cccc',
    agent: 'cashier',
    kind: 'approval',
    toolName: 'pay',
    title: 'Pay',
    path: [],
    args: { to: 'ada', euros: 40 },
    digest: 'dddd',
    state: 'open',
    createdAt: after(-3),
    redacted: false,
    votes: [],
    viewer: { mayDecide: true, hasVoted: false },
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
    createdAt: after(-3),
    updatedAt: after(0),
    ...fields,
  };
}

/** Renders lines for a terminal of 80 columns. */
const shown = (lines: ReturnType<typeof showHolds>) =>
  toRows(lines, 80).map((row) => row.map(({ text }) => text).join(''));
const holds = (...list: readonly HoldView[]) => shown(showHolds(list, { now: NOW, room: 80 }));
const runs = (...list: readonly RunSummary[]) => shown(showRuns(list, { now: NOW, room: 80 }));

describe('the list of holds', () => {
  it('shows one line per hold, with notes', () => {
    const inDoubt = { attempt: 'x', reason: 'It was stopped.', since: after(0) };

    expect(
      holds(
        hold(),
        hold({
          id: 'bbbb1111',
          kind: 'external',
          toolName: 'ask',
          title: 'Ask',
          args: { whom: 'grace' },
        }),
        hold({
          id: 'cccc2222',
          expiresAt: after(90),
          path: [{ toolName: 'helper', toolCallId: '1' }],
        }),
        hold({ id: 'dddd3333', inDoubt, deniedBefore: true, agent: 'an-agent-with-a-long-name' }),
      ),
    ).toEqual([
      'HOLD      AGE    AGENT           CALL',
      'aaaa0000  3 min  cashier         Pay: ada 40',
      'bbbb1111  3 min  cashier         Ask: grace  needs a result',
      'cccc2222  3 min  cashier         Pay: ada 40  by helper · expires in 1 h',
      'dddd3333  3 min  an-agent-with…  Pay: ada 40  ! in doubt · ! denied before',
    ]);
  });

  it('shows a state column if a hold is settled', () => {
    expect(
      holds(hold({ state: 'consumed', outcome: 'expired' }), hold({ id: 'bbbb1111' })),
    ).toEqual([
      'HOLD      STATE    AGE    AGENT    CALL',
      'aaaa0000  expired  3 min  cashier  Pay: ada 40',
      'bbbb1111  open     3 min  cashier  Pay: ada 40',
    ]);
  });

  it('shows the preview of the call that an approval would execute', () => {
    const edit = { args: { to: 'ada', euros: 4 }, by: { id: 'bob' }, at: after(0) };

    expect(
      holds(
        hold({ preview: 'Pay €40\nto Ada' }),
        hold({ id: 'bbbb1111', preview: 'Pay €40', edit: { ...edit, preview: 'Pay €4' } }),
        hold({ id: 'cccc2222', preview: 'Pay €40', edit }),
        hold({ id: 'dddd3333', preview: { before: 1, after: 2 } }),
      ),
    ).toEqual([
      'HOLD      AGE    AGENT    CALL',
      'aaaa0000  3 min  cashier  Pay €40 to Ada',
      'bbbb1111  3 min  cashier  Pay €4  edited',
      'cccc2222  3 min  cashier  Pay: ada 4  edited',
      'dddd3333  3 min  cashier  Pay: ada 40',
    ]);
  });

  it('shows the requester in a wide terminal', () => {
    const lines = showHolds([hold({ requester: { id: 'ada', name: 'Ada' } })], {
      now: NOW,
      room: 120,
    });

    expect(lines.map(({ text }) => text)).toEqual([
      'HOLD      AGE    AGENT    BY   CALL',
      'aaaa0000  3 min  cashier  ada  Pay: ada 40',
    ]);
  });

  it('makes hidden characters visible', () => {
    const [, line = ''] = holds(hold({ title: 'P\u001b[2Jay', args: { to: 'a\u202eb' } }));

    expect(line).toBe('aaaa0000  3 min  cashier  P⟨ESC⟩[2Jay: a⟨U+202E⟩b  ! hidden characters');
  });

  it('shows any hold in one line of at most 80 columns', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, (agent, title, to) => {
        const lines = holds(hold({ agent, title, args: { to } }));

        expect(lines).toHaveLength(2);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
      }),
    );
  });
});

describe('the list of runs', () => {
  it('shows one line per run, with the prompt and the outcome', () => {
    expect(
      runs(
        run({ requester: { id: 'ada', name: 'Ada Lovelace' }, prompt: 'Refund order 17, please.' }),
        run({ id: 'bbbb1111', state: 'finished', openHolds: 0, outcome: 'Refunded €40.' }),
        run({ id: 'cccc2222', state: 'stuck', openHolds: 0, createdAt: after(-50 * 60) }),
      ),
    ).toEqual([
      'RUN       STATE     AGE    AGENT    BY   PROMPT              OUTCOME',
      'aaaa0000  parked    3 min  cashier  ada  Refund order 17, …  2 open holds',
      'bbbb1111  finished  3 min  cashier                           Refunded €40.',
      'cccc2222  stuck     2 d    cashier',
    ]);
  });

  it('shows any run in one line of at most 80 columns', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, text, (agent, id, prompt, outcome) => {
        const fields = { agent, requester: { id }, prompt, outcome, openHolds: 0 };
        const lines = runs(run({ ...fields, state: 'cancelled' }));

        expect(lines).toHaveLength(2);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
      }),
    );
  });
});
