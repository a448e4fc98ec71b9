import type { HoldView } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { toRows } from '../terminal/rows.ts';
import { showHold } from './show-hold.ts';
import { showHolds } from './show-lists.ts';

const NOW = 10_000_000_000;
const BOB = { id: 'bob', name: 'Bob' };
const CY = { id: 'cy' };

function hold(fields: Partial<HoldView>): HoldView {
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
    createdAt: NOW - 60_000,
    redacted: false,
    votes: [],
    mine: { mayAnswer: true, hasVoted: false },
    ...fields,
  };
}

const run = {
  id: 'bbbb',
  agent: 'cashier',
  conversationId: 'cccc',
  state: 'parked',
  openHolds: 1,
  createdAt: NOW,
  updatedAt: NOW,
} as const;

const shown = (fields: Partial<HoldView>) =>
  toRows(showHold(hold(fields), run, NOW), 100)
    .map((row) => row.map(({ text }) => text).join(''))
    .join('\n');

describe('a hold that several people vote on', () => {
  it('shows the arguments that whoever approves agrees to', () => {
    const text = shown({ edit: { args: { to: 'eve', euros: 4 }, by: BOB, at: NOW } });

    expect(text).toContain('Bob (bob) proposed other arguments');
    expect(text).toMatch(/eve/);
    expect(text).toMatch(/ada/);
  });

  it('shows what others have said came of it, and what is to be remembered', () => {
    expect(shown({ proposed: { answer: { kind: 'result', value: 7 }, by: CY, at: NOW } })).toMatch(
      /cy proposed a result[^]*value {2}7/,
    );
    const remember = { match: { args: { to: 'ada' } }, scope: 'agent', uses: 3 } as const;
    expect(shown({ remember })).toMatch(/let later calls run as well[^]*within {2}agent/);
  });

  it('shows who may answer, and whose votes count', () => {
    const vote = { kind: 'approve', at: NOW } as const;
    const fields: Partial<HoldView> = {
      approvers: { roles: ['lead'], count: 2, notRequester: true, remember: 'never' },
      votes: [
        { ...vote, by: CY, counts: false },
        { ...vote, by: BOB, counts: true },
      ],
    };

    expect(shown(fields)).toMatch(/roles +lead\nvotes +1 of 2: Bob \(bob\)\nnot by +the requester/);
  });

  it('says in a list how many have agreed', () => {
    const lines = showHolds(
      [
        hold({
          approvers: { count: 2, notRequester: false, remember: 'never' },
          votes: [{ kind: 'approve', at: NOW, by: BOB, counts: true }],
        }),
      ],
      { now: NOW, room: 80 },
    );

    expect(lines.at(-1)?.text).toContain('1 of 2 votes');
  });
});
