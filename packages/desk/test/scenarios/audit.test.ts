import { auditHash, openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, decide } from '../support/people.ts';

describe.each(STORES)('the audit of a run at a desk %s', (_, open) => {
  it('records actors and operations in a chain, without contents', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => newBank() } },
    });
    const runId = await desk.start('teller', 'pay secretname', { requester: ADA });
    await desk.work({ runId });
    await decide(desk, await onlyHold(desk, runId), {
      kind: 'approve',
      args: { to: 'secretother' },
    });
    const { auditCount, auditHash: head } = await desk.work({ runId });

    const entries = await desk.audit(runId);
    expect(
      entries.map(({ kind, by }) => (by === undefined ? kind : `${kind} by ${by.id}`)),
    ).toEqual([
      'run-started by ada',
      'run-claimed',
      'run-parked',
      'hold-opened',
      `hold-decided by ${GRACE.id}`,
      'run-claimed',
      'call-started',
      'call-settled',
      'run-finished',
    ]);
    let previous = '';
    for (const [index, entry] of entries.entries()) {
      expect(entry).toMatchObject({ number: index + 1, previous });
      expect(auditHash(entry)).toBe(entry.hash);
      previous = entry.hash;
    }
    expect([entries.length, previous]).toEqual([auditCount, head]);
    expect(JSON.stringify(entries)).not.toContain('secret');
    expect((await desk.audit(runId, 3, 2)).map(({ number }) => number)).toEqual([4, 5]);
  });
});
