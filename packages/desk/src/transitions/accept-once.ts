import { personKey } from '../approvers/same-person.ts';
import { DeskError, type DeskErrorCode } from '../errors/desk-error.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { ReadTx, Store, Tx, TxOptions } from '../store/store.ts';

/** A prompt that a requester sends, once or several times with one idempotency key. */
export interface NewInput {
  /** The prompt, as a document of messages. */
  readonly input: string;
  /** The beginning of the prompt's text, for lists of runs. */
  readonly prompt?: string | undefined;
  readonly requester?: Person | undefined;
  readonly idempotencyKey?: string | undefined;
  /** A hash of the request that the idempotency key identifies. */
  readonly hash: string;
}

/** Another transaction wrote between a read and an insert. This one must not write anything. */
export class RaceLostError extends Error {
  override readonly name = 'RaceLostError';
}

/** Returns the normalised id of the requester of an input. */
export function requesterKeyOf(requester: Person | undefined): string {
  return requester === undefined ? '' : personKey(requester);
}

/**
 * Accepts a prompt with `work`, in one transaction. If the requester has used its idempotency key before, nothing is
 * written, and it returns the earlier run.
 */
export async function acceptOnce(
  store: Store,
  tenant: string,
  input: NewInput,
  work: (tx: Tx) => Promise<RunRow>,
  options: TxOptions = {},
): Promise<RunRow> {
  for (;;) {
    try {
      return await store.write(work, options);
    } catch (error) {
      if (!mayBeAccepted(error)) throw error;
      // A unique index rejects a used key, so the key is looked up only then.
      const known = await store.read((tx) => runOfKey(tx, tenant, input));
      if (known !== undefined) return known;
      if (!(error instanceof RaceLostError)) throw error;
    }
  }
}

/** Rejections that a concurrent attempt with the same key can cause. */
const CAUSED_BY_RETRY: readonly DeskErrorCode[] = [
  'conversation-busy',
  'open-holds',
  'outcome-unknown',
];

function mayBeAccepted(error: unknown): boolean {
  if (error instanceof RaceLostError) return true;
  return error instanceof DeskError && CAUSED_BY_RETRY.includes(error.code);
}

async function runOfKey(
  tx: ReadTx,
  tenant: string,
  { requester, idempotencyKey, hash }: NewInput,
): Promise<RunRow | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const known = await tx.inputs.byIdempotencyKey(tenant, requesterKeyOf(requester), idempotencyKey);
  if (known === undefined) return undefined;
  if (known.hash !== hash) throw keyReused(known.runId);
  return tx.runs.get(tenant, known.runId);
}

function keyReused(runId: string): DeskError {
  return new DeskError(
    'idempotency-key-reused',
    `The idempotency key was used for another request, which started run \`${runId}\`. Nothing was written. Use another key.`,
  );
}
