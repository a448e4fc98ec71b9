import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashedAudit } from '../model/audit-chain.ts';
import type { AuditRow } from '../model/audit-row.ts';
import { fromAuditLines, toAuditLines } from './audit-lines.ts';
import { signHead, signHeads } from './sign-checkpoint.ts';
import {
  chainOf,
  collect,
  exported,
  headOf,
  KEY,
  PUBLIC_KEYS,
  runs,
  SIGNED_AT,
  TENANT,
  type SampleRun,
} from '../../test/support/sample-audit.ts';
import { type AuditReport, verifyAudit } from './verify-audit.ts';

const SIGNING = { tenant: TENANT, at: SIGNED_AT, key: KEY };

/** Verifies the lines of a file, without the database. */
function verify(
  entries: readonly AuditRow[],
  checkpoints: readonly unknown[],
): Promise<AuditReport> {
  const read = fromAuditLines(toAuditLines(entries));
  return verifyAudit({ tenant: TENANT, entries: read, checkpoints, publicKeys: PUBLIC_KEYS });
}

function tenantCheckpoint(all: readonly SampleRun[]) {
  return signHeads(all.map(headOf), SIGNING);
}

/** A change of the rows of a run that were signed; `at` is the index of one of them. */
type Change = (rows: AuditRow[], at: number, signed: number) => void;

/** Computes new numbers and hashes for the entries from an index, to hide a change. */
function chainAgain(rows: AuditRow[], from: number): void {
  for (let index = from; index < rows.length; index++) {
    const { hash: _, ...row } = rows[index]!;
    const previous = rows[index - 1]?.hash ?? '';
    rows[index] = hashedAudit({ ...row, number: index + 1, previous });
  }
}

const EDITS: readonly ((row: AuditRow) => Partial<AuditRow>)[] = [
  ({ at }) => ({ at: at + 1 }),
  ({ kind }) => ({ kind: kind === 'hold-expired' ? 'hold-opened' : 'hold-expired' }),
  ({ by }) => ({ by: { id: `${by?.id}x` } }),
  ({ by }) => ({ by: { id: by?.id ?? '', name: 'Eve' } }),
  ({ data }) => ({ data: { ...data, more: JSON.stringify(data) } }),
  ({ data }) => ({ data: JSON.parse(`{"__proto__":1,"x":${JSON.stringify(data)}}`) }),
  ({ previous }) => ({ previous: `${previous}0` }),
  ({ hash }) => ({ hash: hash.toUpperCase().replace(/^./, 'x') }),
  ({ number }) => ({ number: number + 1 }),
  ({ runId }) => ({ runId: `${runId}x` }),
  () => ({ tenant: 'other' }),
  // A member that the hash does not cover.
  () => JSON.parse('{"note":"approved"}'),
  () => JSON.parse('{"__proto__":"approved"}'),
  ({ by }) => JSON.parse(JSON.stringify({ by: { id: by?.id ?? 'ada', role: 'admin' } })),
];

const edit: Change[] = EDITS.map((changed) => (rows, at) => {
  const row = rows[at]!;
  rows[at] = Object.assign(Object.create(null), row, changed(row));
  for (const [name, value] of Object.entries(changed(row))) {
    Object.defineProperty(rows[at], name, { value, enumerable: true });
  }
});

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  'was edited': edit,
  'was edited and chained again': EDITS.slice(0, 5).map((changed) => (rows, at) => {
    rows[at] = { ...rows[at]!, ...changed(rows[at]!) };
    chainAgain(rows, at);
  }),
  'was removed': [
    (rows, at) => {
      rows.splice(at, 1);
    },
    (rows, at) => {
      rows.splice(at, 1);
      chainAgain(rows, at);
    },
  ],
  'was added': [
    (rows, at) => {
      rows.splice(at, 0, rows[at]!);
    },
    (rows, at) => {
      rows.splice(at, 0, { ...rows[at]!, data: { forged: true } });
      chainAgain(rows, at);
    },
  ],
  'was swapped with another one': [
    (rows, at, signed) => {
      const other = (at + 1) % signed;
      // A single entry cannot be swapped, so it is removed.
      if (other === at) rows.splice(at, 1);
      else [rows[at], rows[other]] = [rows[other]!, rows[at]!];
    },
  ],
  'was cut off with all after it': [
    (rows, at) => {
      rows.splice(at);
    },
  ],
};

describe('the verification of an audit', () => {
  it('finds no problem in an unchanged audit', async () => {
    await fc.assert(
      fc.asyncProperty(runs, async (all) => {
        const checkpoints = [
          tenantCheckpoint(all),
          ...all.map((run) => signHead(headOf(run), SIGNING)),
        ];

        const report = await verify(exported(all), checkpoints);

        expect(report.problems).toEqual([]);
        expect(report).toMatchObject({
          status: 'intact',
          runs: all.length + 1,
          entries: exported(all).length,
          signedEntries: all.reduce((sum, { signed }) => sum + signed, 0),
          signedUntil: SIGNED_AT,
        });
      }),
    );
  });

  describe.each(Object.entries(CHANGES))('finds that an entry %s', (_, changes) => {
    it.each(['tenant', 'run'] as const)('with a checkpoint of the %s', async (kind) => {
      await fc.assert(
        fc.asyncProperty(
          runs,
          fc.nat(),
          fc.nat(),
          fc.constantFrom(...changes),
          async (all, which, index, change) => {
            const run = all[which % all.length]!;
            const checkpoints =
              kind === 'tenant' ? [tenantCheckpoint(all)] : [signHead(headOf(run), SIGNING)];
            const rows = [...run.rows];
            change(rows, index % run.signed, run.signed);
            const others = all.filter((other) => other !== run);

            const report = await verify([...exported(others), ...rows], checkpoints);

            expect(report.status).toBe('damaged');
          },
        ),
      );
    });
  });

  it('finds a removed run with a checkpoint of the tenant', async () => {
    await fc.assert(
      fc.asyncProperty(runs, fc.nat(), async (all, which) => {
        const removed = all[which % all.length]!;
        const left = all.filter((run) => run !== removed);

        const { problems } = await verify(exported(left), [tenantCheckpoint(all)]);

        const { runId } = headOf(removed);
        expect(problems).toMatchObject([{ kind: 'missing-run', runId }]);
      }),
    );
  });

  it('finds runs and entries that were added later with an old date', async () => {
    const said = { kind: 'hold-decided', by: 'eve', data: {} } as const;
    const madeUp = chainOf('made-up', [said], 1);
    const longer = chainOf('real', [said, said, said], 3);
    const real = { rows: longer.slice(0, 2), signed: 2 };
    const checkpoint = tenantCheckpoint([real]);

    const run = await verify([...real.rows, ...madeUp], [checkpoint]);
    const entry = await verify(longer, [checkpoint]);

    expect(run.problems).toMatchObject([{ kind: 'backdated', runId: 'made-up', number: 1 }]);
    expect(entry.problems).toMatchObject([{ kind: 'backdated', runId: 'real', number: 3 }]);
  });

  it('names the invalid entry', async () => {
    const said = { kind: 'hold-opened', by: undefined, data: {} } as const;
    const run = { rows: chainOf('r', [said, said, said, said], 4), signed: 4 };
    const [first, second, third, fourth] = run.rows as [AuditRow, AuditRow, AuditRow, AuditRow];
    const found = async (...rows: readonly AuditRow[]) => {
      const { problems } = await verify(rows, [tenantCheckpoint([run])]);
      return problems.map(({ kind, number }) => [kind, number]);
    };

    expect(await found(first, { ...second, at: 1 }, third, fourth)).toEqual([['edited', 2]]);
    expect(await found(first, fourth)).toEqual([['missing', 2]]);
    expect(await found(first, second)).toEqual([['missing', 3]]);
    expect(await found(first, third, second, fourth)).toEqual([
      ['missing', 2],
      ['out-of-order', 2],
    ]);
    expect(await found(first, second, { ...third, previous: 'x' }, fourth)).toEqual([
      ['edited', 3],
      ['broken-chain', 3],
    ]);
    const again = chainOf('r', [said, { ...said, by: 'eve' }, said, said], 4);
    expect(await found(...again)).toEqual([['rewritten', 4]]);
  });

  it('does not find, without a checkpoint, the changes that it lists as undetectable', async () => {
    const said = { kind: 'hold-opened', by: undefined, data: {} } as const;
    const rows = chainOf('r', [said, said, said], 0);
    const again = chainOf('r', [{ ...said, by: 'eve' }, said, said], 0);

    const cut = await verify(rows.slice(0, 2), []);
    const rewritten = await verify(again, []);
    const removed = await verify([], []);
    const edited = await verify([{ ...rows[0]!, at: 1 }], []);

    expect([cut.status, rewritten.status, removed.status]).toEqual(['intact', 'intact', 'intact']);
    expect(edited.status).toBe('damaged');
    expect(rewritten.blindSpots.join(' ')).toMatch(
      /3 of 3 entries .* have replaced them.*removal of entries from the end of a run.*Without a checkpoint of all runs .* whole run/,
    );
  });

  it('states the time up to which it covers the audit', async () => {
    const run = { rows: chainOf('r', [{ kind: 'run-started', by: 'a', data: {} }], 1), signed: 1 };

    const { blindSpots } = await verify(run.rows, [tenantCheckpoint([run])]);

    expect(blindSpots.join(' ')).not.toMatch(/have replaced them/);
    expect(blindSpots.join(' ')).toMatch(
      /whole run that started after 2023-11-14T22:13:20.000Z is not detected/,
    );
  });

  it('reports an invalid entry, and continues', async () => {
    const run = { rows: chainOf('r', [{ kind: 'run-started', by: 'a', data: {} }], 1), signed: 1 };
    const [line] = await collect(toAuditLines(run.rows));
    const text = `no JSON\n[1]\nnull\n\n${line?.replace('}', ',"z":1e999}')}${line}`;

    const report = await verifyAudit({ tenant: TENANT, entries: fromAuditLines([text]) });

    const kinds = report.problems.map(({ kind }) => kind);
    expect(kinds).toEqual(['not-an-entry', 'not-an-entry', 'not-an-entry', 'not-an-entry']);
    expect(report.entries).toBe(1);
  });

  it('lists a thousand problems and states that there are more', async () => {
    const entries = Array.from({ length: 5_000 }, () => 'x');

    const { problems } = await verifyAudit({ tenant: TENANT, entries });

    expect(problems).toHaveLength(1_001);
    expect(problems.at(-1)).toMatchObject({ kind: 'more' });
  });
});
