import { sign } from 'node:crypto';
import { type AuditHead, hashHeads, sortHeads } from './audit-head.ts';
import { type AuditKey, signingKey } from './audit-key.ts';
import {
  bytesToSign,
  type RunCheckpoint,
  type TenantCheckpoint,
  type UnsignedCheckpoint,
} from './checkpoint.ts';

/** The tenant, the time and the key of a signature. */
export interface Signing {
  readonly tenant: string;
  /** In milliseconds since 1970, by the clock of the store. */
  readonly at: number;
  readonly key: AuditKey;
}

/** Signs the head of one run. */
export function signHead(head: AuditHead, { tenant, at, key }: Signing): RunCheckpoint {
  const { runId, number, hash } = head;
  const about = { kind: 'run', tenant, runId, number, hash, at, keyId: key.id } as const;
  return Object.freeze({ ...about, signature: signatureOf(about, key) });
}

/** Signs the heads of all runs of a tenant. */
export function signHeads(heads: Iterable<AuditHead>, signing: Signing): TenantCheckpoint {
  const { tenant, at, key } = signing;
  const sorted = sortHeads(heads);
  const signed = { runs: sorted.length, headsHash: hashHeads(sorted), at, keyId: key.id };
  const about = { kind: 'tenant', tenant, ...signed, heads: sorted } as const;
  return Object.freeze({ ...about, signature: signatureOf(about, key) });
}

function signatureOf(checkpoint: UnsignedCheckpoint, key: AuditKey): string {
  return sign(null, bytesToSign(checkpoint), signingKey(key)).toString('base64url');
}
