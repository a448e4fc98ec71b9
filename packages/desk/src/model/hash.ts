import { createHash } from 'node:crypto';
import { canonicalJson } from 'holdpoint/ledger';

/** The SHA-256 over the canonical JSON of these values, in hexadecimal digits; the domain keeps uses apart. */
export function hashOf(domain: string, ...values: readonly unknown[]): string {
  return createHash('sha256')
    .update(canonicalJson([domain, ...values]))
    .digest('hex');
}
