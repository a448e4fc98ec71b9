import { describe, expect, it } from 'vitest';
import { auditHash, hashedAudit, type UnhashedAudit, withoutPerson } from './audit-chain.ts';

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
    const row = hashedAudit(entry);
    const { hash } = row;
    const changes: Partial<UnhashedAudit>[] = [
      { tenant: 'other' },
      { runId: 'r2' },
      { number: 3 },
      { at: 1001 },
      { kind: 'hold-expired' },
      { by: { id: 'eve' } },
      { by: { id: 'ada', name: 'Eve' } },
      { salt: 'other' },
      { by: undefined, data: entry.data },
      { data: { ...row.data, digest: 'd2' } },
      { previous: 'abd' },
    ];

    for (const change of changes) expect(auditHash({ ...row, ...change })).not.toBe(hash);
    expect(
      auditHash({ ...row, data: { person: row.data['person'] ?? '', digest: 'd1', holdId: 'h1' } }),
    ).toBe(hash);
  });

  it('stays valid after the person was erased, and does not reveal the person', () => {
    const row = hashedAudit(entry);
    const erased = withoutPerson(row);

    expect(erased).not.toHaveProperty('by');
    expect(erased).not.toHaveProperty('salt');
    expect(erased.data).toEqual(row.data);
    expect(auditHash(erased)).toBe(row.hash);
    expect(hashedAudit(entry).data['person']).not.toBe(row.data['person']);
    expect(auditHash({ ...erased, by: { id: 'eve' } })).not.toBe(row.hash);
  });

  it('is as in the version before for an entry with a person in the hash', () => {
    const hash = '3fc698e23191614a5e80443bf82a13deae99ababbc3b4236072ea289923a36f5';

    expect(auditHash(entry)).toBe(hash);
  });
});
