import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from 'holdpoint';
import * as fc from 'fast-check';
import { hashedAudit } from '../../src/model/audit-chain.ts';
import type { AuditKind, AuditRow } from '../../src/model/audit-row.ts';
import type { AuditHead } from '../../src/audit/audit-head.ts';

export const TENANT = 'acme';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** The key of the tests. */
export const KEY = { id: 'key-1', privateKey };
export const PUBLIC_KEYS = { 'key-1': publicKey };

/**
 * The time of the checkpoint of a test. Entries before it are hours older; entries after it are
 * later.
 */
export const SIGNED_AT = 1_700_000_000_000;

/** An entry without its position in a chain. */
export interface EntryContent {
  readonly kind: AuditKind;
  readonly by: string | undefined;
  readonly data: JsonObject;
}

/** The audit of a run, and the number of its entries at the time of the checkpoint. */
export interface SampleRun {
  readonly rows: readonly AuditRow[];
  readonly signed: number;
}

/** A chain of entries, the first `signed` of which are older than the checkpoint. */
export function chainOf(runId: string, said: readonly EntryContent[], signed: number): AuditRow[] {
  const rows: AuditRow[] = [];
  for (const [index, { kind, by, data }] of said.entries()) {
    const at = SIGNED_AT + (index < signed ? -3_600_000 : 1_000) + index;
    const previous = rows.at(-1)?.hash ?? '';
    const person = by === undefined ? undefined : { id: by };
    const position = { tenant: TENANT, runId, number: index + 1, at, previous };
    rows.push(hashedAudit({ ...position, kind, ...(person && { by: person }), data }));
  }
  return rows;
}

/** Returns the head of a run at the time of the checkpoint. */
export function headOf({ rows, signed }: SampleRun): AuditHead {
  const { runId, number, hash } = rows[signed - 1]!;
  return { runId, number, hash };
}

const said: fc.Arbitrary<EntryContent> = fc.record({
  kind: fc.constantFrom('run-claimed', 'hold-opened', 'hold-decided', 'call-settled'),
  by: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  // Any JSON object, as the database returns it.
  data: fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    .map((value) => JSON.parse(JSON.stringify(value))),
});

/** Generates audits of runs with signed entries. Most of them also have later entries. */
export const runs: fc.Arbitrary<readonly SampleRun[]> = fc
  .array(fc.tuple(fc.array(said, { minLength: 1, maxLength: 8 }), fc.nat()), {
    minLength: 1,
    maxLength: 4,
  })
  .map((all) =>
    all.map(([entries, chosen], index) => {
      const signed = 1 + (chosen % entries.length);
      return { rows: chainOf(`run-${index}`, entries, signed), signed };
    }),
  );

/** The entries of all runs, and one run that was started after the checkpoint. */
export function exported(all: readonly SampleRun[]): AuditRow[] {
  const later = chainOf('later', [{ kind: 'run-started', by: 'ada', data: {} }], 0);
  return [...later, ...all.flatMap(({ rows }) => rows)];
}

/** Returns all values of an async iterable. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
