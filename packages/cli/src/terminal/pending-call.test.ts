import { DeferredToolRequests, type CallDetails, type JsonObject } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { SessionApprovals } from './ask-batch.ts';
import { showBatch, showCall } from './calls.ts';
import { type PendingCall, pendingCalls, warningsOf } from './pending-call.ts';

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

describe('a pending call', () => {
  it('shows all its warnings', () => {
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
      'In doubt: this may already have happened (2026-11-15 00:00:00 UTC). The process ended.',
    );
    expect(showBatch([pending], 120)[0]?.text).toBe(
      'a⟨U+200B⟩  by helper · ! in doubt · ! drifted · ! denied before · ! hidden characters',
    );
  });

  it('is listed by its preview, with visible codes for hidden characters', () => {
    const preview = 'Delete the file a.\nIt has no\u200b copy.';

    expect(showBatch([call({ preview })], 120)[0]?.text).toBe(
      'Delete the file a. It has no⟨U+200B⟩ copy.  by helper · ! hidden characters',
    );
  });

  it('shows how hooks changed the arguments of the model', () => {
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

  it('shows its preview instead of its arguments', () => {
    expect(texts(call({ preview: 'Deletes a.' }))).toEqual(['by helper', 'Deletes a.']);
  });
});

describe('a session approval', () => {
  const base: CallDetails = { schemaHash: 's', version: '1', preview: 'p' };

  it('covers an equal call', () => {
    const approvals = new SessionApprovals();
    approvals.add('janitor', call(base, { path: 'a', force: true }));

    expect(approvals.covers('janitor', call(base, '{"force":true,"path":"a"}'))).toBe(true);
  });

  it.each([
    ['other arguments', 'janitor', call(base, { path: 'b' })],
    [
      'other validated arguments, such as a default that is computed',
      'janitor',
      call({ ...base, validatedArgs: { path: 'a', copies: 1_000 } }),
    ],
    ['other data of the tool', 'janitor', { ...call(base), metadata: { reason: 'overdraft' } }],
    ['another schema', 'janitor', call({ ...base, schemaHash: 't' })],
    ['another version of the tool', 'janitor', call({ ...base, version: '2' })],
    ['another preview', 'janitor', call({ ...base, preview: 'q' })],
    ['another agent', 'other', call(base)],
    ['another path', 'janitor', { ...call(base), path: [] }],
    ['another tool', 'janitor', { ...call(base), toolName: 'other' }],
    [
      'a doubt about an earlier attempt',
      'janitor',
      call({ ...base, inDoubt: { attempt: '1', reason: '', since: 0 } }),
    ],
    ['an earlier denial', 'janitor', call({ ...base, deniedBefore: true })],
    ['an external result', 'janitor', { ...call(base), kind: 'external' as const }],
  ])('does not cover a call with %s', (_, agent, other) => {
    const approvals = new SessionApprovals();
    approvals.add('janitor', call(base));

    expect(approvals.covers(agent, other)).toBe(false);
  });
});
