import { type KeyObject, verify } from 'node:crypto';
import { hashHeads } from './audit-head.ts';
import { type AuditCheckpoint, auditCheckpointSchema, bytesToSign } from './checkpoint.ts';

/** A valid checkpoint, or the problem of an invalid one. */
export type CheckedCheckpoint =
  | { readonly checkpoint: AuditCheckpoint; readonly problem?: undefined }
  | { readonly checkpoint?: undefined; readonly problem: string };

/** Validates a checkpoint from outside: its form, its tenant, its heads and its signature. */
export function checkCheckpoint(
  value: unknown,
  tenant: string,
  keys: ReadonlyMap<string, KeyObject>,
): CheckedCheckpoint {
  const { data: checkpoint } = auditCheckpointSchema.safeParse(value);
  if (checkpoint === undefined) return { problem: 'It does not have the form of a checkpoint.' };
  if (checkpoint.tenant !== tenant) return { problem: 'It belongs to another tenant.' };
  const key = keys.get(checkpoint.keyId);
  if (key === undefined) {
    return { problem: `There is no public key '${checkpoint.keyId}' to check it with.` };
  }
  const signature = Buffer.from(checkpoint.signature, 'base64url');
  if (!verify(null, bytesToSign(checkpoint), key, signature)) {
    return { problem: `Its signature with the key \`${checkpoint.keyId}\` is invalid.` };
  }
  if (checkpoint.kind === 'tenant' && hashHeads(checkpoint.heads) !== checkpoint.headsHash) {
    return { problem: 'Its heads differ from the signed ones.' };
  }
  return { checkpoint };
}
