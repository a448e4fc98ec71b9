import type { HoldView } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { toRows } from '../terminal/lines.ts';
import { showHold, showHolds } from './holds.ts';

const NOW = 10_000_000_000;
const AT = new Date(NOW).toISOString();
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
    title: 'Pay',
    path: [],
    args: { to: 'ada', euros: 40 },
    digest: 'dddd',
    state: 'open',
    createdAt: AT,
    redacted: false,
    votes: [],
    viewer: { mayDecide: true, hasVoted: false },
    ...fields,
  };
}

const run = {
  id: 'bbbb',
  agent: 'cashier',
  conversationId: 'cccc',
  state: 'parked',
  openHolds: 1,
  createdAt: AT,
  updatedAt: AT,
} as const;

const shown = (fields: Partial<HoldView>) =>
  toRows(showHold(hold(fields), run, NOW), 100)
    .map((row) => row.map(({ text }) => text).join(''))
    .join('\n');

describe('a hold with votes', () => {
  it('shows the edited arguments that an approval agrees to', () => {
    const text = shown({ edit: { args: { to: 'eve', euros: 4 }, by: BOB, at: AT } });

    expect(text).toContain('Bob (bob) proposed edited arguments');
    expect(text).toMatch(/eve/);
    expect(text).toMatch(/ada/);
  });

  it('shows the validated arguments and the preview of the edit that an approval agrees to', () => {
    const edit = {
      args: { to: 'eve', thousands: 9 },
      validatedArgs: { to: 'eve', euros: 9_000 },
      preview: 'Pays 9,000 euros to eve.',
      by: BOB,
      at: AT,
    };

    const text = shown({ preview: 'Pays 40 euros to ada.', edit });

    expect(text).toMatch(/agrees to this[^]*tool will receive[^]*9000[^]*Pays 9,000 euros to eve/);
  });

  it('shows a proposed result and a requested grant', () => {
    expect(shown({ proposed: { decision: { kind: 'result', value: 7 }, by: CY, at: AT } })).toMatch(
      /cy proposed a result[^]*value {2}7/,
    );
    const grantRequest = { match: { args: { to: 'ada' } }, scope: 'agent', uses: 3 } as const;
    expect(shown({ grant: grantRequest })).toMatch(/also approves later calls[^]*scope +agent/);
  });

  it('shows the requirement and the votes that count', () => {
    const vote = { kind: 'approve', isEdit: false, at: AT } as const;
    const fields: Partial<HoldView> = {
      approvers: { roles: ['lead'], count: 2, notRequester: true, grants: 'never' },
      votes: [
        { ...vote, by: CY, counts: false },
        { ...vote, by: BOB, counts: true },
      ],
    };

    expect(shown(fields)).toMatch(
      /roles +lead\napprovals +1 of 2: Bob \(bob\)\nnot by +the requester/,
    );
  });

  it('shows the number of approvals in a list', () => {
    const lines = showHolds(
      [
        hold({
          approvers: { count: 2, notRequester: false, grants: 'never' },
          votes: [{ kind: 'approve', isEdit: false, at: AT, by: BOB, counts: true }],
        }),
      ],
      { now: NOW, room: 80 },
    );

    expect(lines.at(-1)?.text).toContain('1 of 2 approvals');
  });
});
