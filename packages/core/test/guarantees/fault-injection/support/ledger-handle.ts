import type { Ledger } from 'holdpoint';
import type { LedgerKey } from 'holdpoint/ledger';
import { idOf, type Journal } from './journal.ts';
import type { Stage, Worker } from './stage.ts';

/** Labels of the operations at which faults can occur. */
export const OPERATIONS = [
  'claim',
  'extend',
  'release',
  'settle',
  'doubt',
  'record call',
  'record round',
  'record request',
  'resolve',
  'read',
] as const;

/** Returns the label of the gate before or after an operation. */
export function gateOf(operation: string, when: 'before' | 'after'): string {
  return `${when} ledger ${operation}`;
}

/**
 * Wraps the shared ledger for one worker: the worker passes a gate before each operation, and one after
 * its effect. Outcomes are recorded in the journal.
 */
export function ledgerHandle(
  shared: Ledger,
  { stage, worker, journal }: { stage: Stage; worker: Worker; journal: Journal },
): Ledger {
  const operate = async <T>(operation: string, action: () => T | Promise<T>): Promise<T> => {
    await stage.wait(worker, gateOf(operation, 'before'));
    const said = await action();
    await stage.wait(worker, gateOf(operation, 'after'));
    return said;
  };
  const ending = async <T>(key: LedgerKey, said: Promise<T>, isOver: (said: T) => boolean) => {
    if (isOver(await said) && key.slot.startsWith('call:')) journal.end(idOf(key));
    return said;
  };
  return {
    retainedSince: () => operate('retainedSince', () => shared.retainedSince()),
    claim: (key, options) => operate('claim', () => shared.claim(key, options)),
    extend: (claim, lease) => operate('extend', () => shared.extend(claim, lease)),
    release: (claim) => operate('release', () => shared.release(claim)),
    settle: (claim, outcome) =>
      operate('settle', () =>
        ending(claim.key, shared.settle(claim, outcome), (said) => said === 'settled'),
      ),
    doubt: (claim, reason) => operate('doubt', () => shared.doubt(claim, reason)),
    record: (key, entry) =>
      operate(`record ${key.slot.split(':')[0]}`, () =>
        ending(key, shared.record(key, entry), ({ state }) => state === 'recorded'),
      ),
    resolve: (claim, resolution) =>
      operate('resolve', () =>
        ending(
          claim.key,
          shared.resolve(claim, resolution),
          (said) => said === 'resolved' && resolution.kind === 'outcome',
        ),
      ),
    read: (key) => operate('read', () => shared.read(key)),
  };
}
