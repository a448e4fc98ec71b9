import { canonicalJson } from 'holdpoint/ledger';
import { z } from 'zod';
import type { AuditHead } from './audit-head.ts';

/** The members of every checkpoint: the tenant, the time and the signature. */
export interface CheckpointSignature {
  readonly tenant: string;
  /** The time by the clock of the store. The checkpoint contains everything from before, except for the last minute. */
  readonly at: number;
  /** The id of the key that has signed it. */
  readonly keyId: string;
  /** Ed25519, in base64url. */
  readonly signature: string;
}

/** A signed statement that the audit of a run had this head. */
export interface RunCheckpoint extends AuditHead, CheckpointSignature {
  readonly kind: 'run';
}

/** A signed statement that a tenant had these runs, and that their audits had these heads. */
export interface TenantCheckpoint extends CheckpointSignature {
  readonly kind: 'tenant';
  /** The number of runs. */
  readonly runs: number;
  /** The hash over the heads. The signature covers it. */
  readonly headsHash: string;
  /** The heads, by the ids of their runs. A change of them is detected, so they can be stored anywhere. */
  readonly heads: readonly AuditHead[];
}

/** A signed statement about audits. Store it out of reach of people who can write to the database. */
export type AuditCheckpoint = RunCheckpoint | TenantCheckpoint;

/** A checkpoint without its signature. */
export type UnsignedCheckpoint =
  | Omit<RunCheckpoint, 'signature'>
  | Omit<TenantCheckpoint, 'signature'>;

const head = { runId: z.string(), number: z.int().positive(), hash: z.string() };
const signed = { tenant: z.string(), at: z.int(), keyId: z.string(), signature: z.string() };

/** The schema of a checkpoint. Unknown members are rejected. */
export const auditCheckpointSchema: z.ZodType<AuditCheckpoint> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), ...head, ...signed }),
  z.strictObject({
    kind: z.literal('tenant'),
    runs: z.int().nonnegative(),
    headsHash: z.string(),
    heads: z.array(z.strictObject(head)),
    ...signed,
  }),
]);

/** Returns the signed bytes: all members of a checkpoint, with the hash of the heads. */
export function bytesToSign(checkpoint: UnsignedCheckpoint): Buffer {
  const { kind, tenant, at, keyId } = checkpoint;
  const about =
    checkpoint.kind === 'run'
      ? [checkpoint.runId, checkpoint.number, checkpoint.hash]
      : [checkpoint.runs, checkpoint.headsHash];
  return Buffer.from(
    canonicalJson(['holdpoint/audit-checkpoint/1', kind, tenant, at, keyId, about]),
  );
}
