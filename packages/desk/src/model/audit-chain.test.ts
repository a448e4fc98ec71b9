import { describe, expect, it } from 'vitest';
import { auditHash, hashedAudit, type UnhashedAudit } from './audit-chain.ts';

const entry: UnhashedAudit = {
  tenant: 'acme',
  runId: 'r1',
  number: 2,
  at: 1000,
  kind: 'hold-decided',
  by: { id: 'ada' },
  data: { holdId: 'h1', digest: 'd1' },
  previous: 'abc',
};

describe('the hash of an audit entry', () => {
  it('covers every member', () => {
    const { hash } = hashedAudit(entry);
    const changes: Partial<UnhashedAudit>[] = [
      { tenant: 'other' },
      { runId: 'r2' },
      { number: 3 },
      { at: 1001 },
      { kind: 'hold-expired' },
      { by: { id: 'eve' } },
      { by: { id: 'ada', name: 'Eve' } },
      { by: undefined },
      { data: { holdId: 'h1', digest: 'd2' } },
      { previous: 'abd' },
    ];

    for (const change of changes) expect(auditHash({ ...entry, ...change })).not.toBe(hash);
    expect(auditHash({ ...entry, data: { digest: 'd1', holdId: 'h1' } })).toBe(hash);
  });
});
