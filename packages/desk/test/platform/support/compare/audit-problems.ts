import { type AuditKind, auditHash, type AuditRow } from '@holdpoint/desk';
import type { StoredRun } from './stored-run.ts';

/** Requires an unbroken chain that ends at the hash of the run, with every entry once and in order. */
export function auditProblems({ run, holds, audit }: StoredRun): string[] {
  let previous = '';
  for (const [index, entry] of audit.entries()) {
    const isNext = entry.number === index + 1 && entry.previous === previous;
    if (!isNext || entry.hash !== auditHash(entry)) return [`its audit is broken at ${index + 1}`];
    previous = entry.hash;
  }
  const counts: Partial<Record<AuditKind, number>> = {
    'run-started': 1,
    'run-finished': 1,
    'run-parked': run.parks,
    'hold-opened': holds.length,
    'hold-decided': holds.length,
  };
  return [
    ...(run.auditHash === previous ? [] : ['its audit does not end at the hash of the run']),
    ...Object.entries(counts).flatMap(([kind, count]) => {
      const found = audit.filter((entry) => entry.kind === kind).length;
      return found === count ? [] : [`its audit has ${kind} ${found} times instead of ${count}`];
    }),
    ...fenceProblems(audit),
    ...settleProblems(audit),
  ];
}

/** Entries that require the current claim. A call that started with it may settle later. */
const CLAIMED: readonly AuditKind[] = [
  'run-claimed',
  'run-parked',
  'run-released',
  'run-finished',
  'call-started',
];

/** Requires that no worker writes after another one took over, or begins twice with one claim. */
function fenceProblems(audit: readonly AuditRow[]): string[] {
  const problems: string[] = [];
  let latest = 0;
  for (const { kind, number, data } of audit.filter((entry) => CLAIMED.includes(entry.kind))) {
    const fence = Number(data['fence']);
    const isInOrder = kind === 'run-claimed' ? fence > latest : fence === latest;
    if (!isInOrder) problems.push(`${kind} at ${number} is of claim ${fence}, after ${latest}`);
    latest = Math.max(latest, fence);
  }
  return problems;
}

/** Requires that the outcome of a call comes from the worker that started it last. */
function settleProblems(audit: readonly AuditRow[]): string[] {
  const problems: string[] = [];
  const started = new Map<string, number>();
  for (const { kind, number, data } of audit) {
    const [slot, fence] = [String(data['slot']), Number(data['fence'])];
    if (kind === 'call-started') started.set(slot, fence);
    if (kind !== 'call-settled' && kind !== 'call-in-doubt') continue;
    if (started.get(slot) !== fence) {
      problems.push(`${kind} at ${number} is of claim ${fence}, started was ${started.get(slot)}`);
    }
  }
  return problems;
}
