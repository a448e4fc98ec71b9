import { type AuditKind, auditHash, type AuditRow } from '@holdpoint/desk';
import type { RunAsStored } from './run-as-stored.ts';

/** The audit is a whole chain that ends where the run says, and tells of everything once and in order. */
export function auditProblems({ run, holds, audit }: RunAsStored): string[] {
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
    'hold-answered': holds.length,
  };
  return [
    ...(run.auditHash === previous ? [] : ['its audit has lost its end']),
    ...Object.entries(counts).flatMap(([kind, count]) => {
      const found = audit.filter((entry) => entry.kind === kind).length;
      return found === count ? [] : [`its audit has ${kind} ${found} times instead of ${count}`];
    }),
    ...fenceProblems(audit),
    ...settleProblems(audit),
  ];
}

/** What a worker writes by right of its claim. A call that was started by right may come to its end later. */
const CLAIMED: readonly AuditKind[] = [
  'run-begun',
  'run-parked',
  'run-given-back',
  'run-finished',
  'call-started',
];

/** Nobody writes after somebody else has taken over, and nobody begins twice with one claim. */
function fenceProblems(audit: readonly AuditRow[]): string[] {
  const problems: string[] = [];
  let latest = 0;
  for (const { kind, number, data } of audit.filter((entry) => CLAIMED.includes(entry.kind))) {
    const fence = Number(data['fence']);
    const isInOrder = kind === 'run-begun' ? fence > latest : fence === latest;
    if (!isInOrder) problems.push(`${kind} at ${number} is of claim ${fence}, after ${latest}`);
    latest = Math.max(latest, fence);
  }
  return problems;
}

/** What came of a call is said by whoever has started it last, and by nobody after that. */
function settleProblems(audit: readonly AuditRow[]): string[] {
  const problems: string[] = [];
  const started = new Map<string, number>();
  for (const { kind, number, data } of audit) {
    const [slot, fence] = [String(data['slot']), Number(data['fence'])];
    if (kind === 'call-started') started.set(slot, fence);
    if (kind !== 'call-settled' && kind !== 'call-doubted') continue;
    if (started.get(slot) !== fence) {
      problems.push(`${kind} at ${number} is of claim ${fence}, started was ${started.get(slot)}`);
    }
  }
  return problems;
}
