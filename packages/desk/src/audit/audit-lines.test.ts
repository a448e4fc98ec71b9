import { describe, expect, it } from 'vitest';
import { chainOf, collect } from '../../test/support/sample-audit.ts';
import { fromAuditLines, toAuditLines } from './audit-lines.ts';

describe('lines of an audit', () => {
  it('are read from pieces of any size', async () => {
    const said = { kind: 'hold-opened', by: 'ädä', data: { text: '€\n' } } as const;
    const rows = chainOf('r', [said, said], 0);
    const bytes = Buffer.from((await collect(toAuditLines(rows))).join(''));
    const pieces = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));

    expect(await collect(fromAuditLines(pieces))).toEqual(rows);
    expect(await collect(fromAuditLines([bytes.subarray(0, -1)]))).toEqual(rows);
  });
});
