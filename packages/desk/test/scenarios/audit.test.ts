import { auditHash, openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, say } from '../support/people.ts';

describe.each(STORES)('the audit of a run at a desk %s', (_, open) => {
  it('says who did what, in a chain, and holds no contents', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => newBank() } },
    });
    const runId = await desk.start('teller', 'pay secretname', { requester: ADA });
    await desk.work({ runId });
    await say(desk, await onlyHold(desk, runId), { kind: 'edit', args: { to: 'secretother' } });
    const { auditCount, auditHash: head } = await desk.work({ runId });

    const entries = await desk.audit(runId);
    expect(
      entries.map(({ kind, by }) => (by === undefined ? kind : `${kind} by ${by.id}`)),
    ).toEqual([
      'run-started by ada',
      'run-begun',
      'run-parked',
      'hold-opened',
      `hold-answered by ${GRACE.id}`,
      'run-begun',
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
