import { DeferredToolRequests, type CallDetails, type JsonObject } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { type PendingCall, pendingCalls } from './pending-call.ts';
import { SessionApprovals } from './session-approvals.ts';
import { showBatch } from './show-batch.ts';
import { showCall } from './show-call.ts';
import { warningsOf } from './warnings.ts';

function call(details: CallDetails = {}, args: JsonObject | string = { path: 'a' }): PendingCall {
  const requests = new DeferredToolRequests({
    approvals: [{ kind: 'tool-call', toolName: 'delete_file', toolCallId: 'x', args }],
    details: { x: details },
    nested: { x: { agents: [{ toolName: 'helper', toolCallId: 'h' }], toolCallId: 'x' } },
  });
  const [pending] = pendingCalls(requests);
  if (pending === undefined) throw new Error('There is no call.');
  return pending;
}

const texts = (pending: PendingCall) => showCall(pending).map(({ text }) => text);

describe('a call that waits', () => {
  it('says everything that there is to be careful about', () => {
    const details = {
      inDoubt: { attempt: '1', reason: 'The process ended.', since: Date.UTC(2026, 10, 15) },
      drifted: true,
      deniedBefore: true,
    };
    const pending = call(details, { path: 'a\u200B' });

    expect(warningsOf(pending).map(({ brief }) => brief)).toEqual([
      'in doubt',
      'drifted',
      'denied before',
      'hidden characters',
    ]);
    expect(texts(pending)).toContain(
      'In doubt: it may have run already (2026-11-15 00:00:00 UTC). The process ended.',
    );
    expect(showBatch([pending], 120)[0]?.text).toBe(
      'a⟨U+200B⟩  by helper · ! in doubt · ! drifted · ! denied before · ! hidden characters',
    );
  });

  it('shows what hooks have made of what the model sent', () => {
    expect(texts(call({ args: { path: 'b' } }, '{"path":"a"}'))).toEqual([
      'by helper',
      'Changed since the model sent it:',
      '  {',
      '-   "path": "a"',
      '+   "path": "b"',
      '  }',
      'b',
    ]);
  });

  it('has its preview in the place of its arguments', () => {
    expect(texts(call({ preview: 'Deletes a.' }))).toEqual(['by helper', 'Deletes a.']);
  });
});

describe('an approval for the session', () => {
  const base: CallDetails = { schemaHash: 's', version: '1', preview: 'p' };

  it('holds for exactly the same call', () => {
    const approvals = new SessionApprovals();
    approvals.add('janitor', call(base, { path: 'a', force: true }));

    expect(approvals.covers('janitor', call(base, '{"force":true,"path":"a"}'))).toBe(true);
  });

  it.each([
    ['other arguments', 'janitor', call(base, { path: 'b' })],
    ['another schema', 'janitor', call({ ...base, schemaHash: 't' })],
    ['another version of the tool', 'janitor', call({ ...base, version: '2' })],
    ['another preview', 'janitor', call({ ...base, preview: 'q' })],
    ['another agent', 'other', call(base)],
    ['another path to it', 'janitor', { ...call(base), path: [] }],
    ['another tool', 'janitor', { ...call(base), toolName: 'other' }],
    ['a doubt', 'janitor', call({ ...base, inDoubt: { attempt: '1', reason: '', since: 0 } })],
    ['a denial before it', 'janitor', call({ ...base, deniedBefore: true })],
    ['a result that is asked for', 'janitor', { ...call(base), kind: 'external' as const }],
  ])('does not hold for a call with %s', (_, agent, other) => {
    const approvals = new SessionApprovals();
    approvals.add('janitor', call(base));

    expect(approvals.covers(agent, other)).toBe(false);
  });
});
