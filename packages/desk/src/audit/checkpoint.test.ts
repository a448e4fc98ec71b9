import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  chainOf,
  headOf,
  KEY,
  PUBLIC_KEYS,
  SIGNED_AT,
  TENANT,
} from '../../test/support/sample-audit.ts';
import { signHead, signHeads } from './sign-checkpoint.ts';
import { type AuditReport, verifyAudit } from './verify-audit.ts';

const SIGNING = { tenant: TENANT, at: SIGNED_AT, key: KEY };

function verify(
  entries: readonly unknown[],
  checkpoints: readonly unknown[],
): Promise<AuditReport> {
  return verifyAudit({ tenant: TENANT, entries, checkpoints, publicKeys: PUBLIC_KEYS });
}

describe('a checkpoint', () => {
  const run = { rows: chainOf('r', [{ kind: 'run-started', by: 'a', data: {} }], 1), signed: 1 };
  const ofTenant = signHeads([headOf(run)], SIGNING);
  const ofRun = signHead(headOf(run), SIGNING);

  it.each([
    ['is about another tenant', signHeads([headOf(run)], { ...SIGNING, tenant: 'other' })],
    ['has another time', { ...ofTenant, at: 1 }],
    ['has another number of runs', { ...ofTenant, runs: 2 }],
    ['has another hash of heads', { ...ofTenant, headsHash: 'x' }],
    ['has no heads any more', { ...ofTenant, heads: [] }],
    ['has other heads', { ...ofTenant, heads: [{ ...headOf(run), number: 2 }] }],
    ['is of another run', { ...ofRun, runId: 'x' }],
    ['has another number', { ...ofRun, number: 2 }],
    ['has another hash', { ...ofRun, hash: 'x' }],
    ['has another kind', { ...ofRun, kind: 'tenant' }],
    ['has no signature', { ...ofRun, signature: '' }],
    ['has a signature of something else', { ...ofRun, signature: ofTenant.signature }],
    ['names a key that nobody knows', { ...ofRun, keyId: 'key-2' }],
    ['says more than was signed', { ...ofRun, note: 'x' }],
    ['is none', 'checkpoint'],
    [
      'was signed with another key of that name',
      signHead(headOf(run), { ...SIGNING, key: { ...KEY, ...generateKeyPairSync('ed25519') } }),
    ],
  ])('that %s is a problem, and does not count', async (_, checkpoint) => {
    const report = await verify(run.rows, [checkpoint]);

    expect(report.problems).toMatchObject([{ kind: 'bad-checkpoint' }]);
    expect(report.signedEntries).toBe(0);
  });

  it('is unchanged by JSON', async () => {
    const kept = JSON.parse(JSON.stringify([ofTenant, ofRun]));

    expect((await verify(run.rows, kept)).status).toBe('intact');
  });

  it('accepts keys as PEM texts', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const signed = signHead(headOf(run), { ...SIGNING, key: { id: 'pem', privateKey } });

    const report = await verifyAudit({
      tenant: TENANT,
      entries: run.rows,
      checkpoints: [signed],
      publicKeys: { pem: publicKey },
    });

    expect(report).toMatchObject({ status: 'intact', signedEntries: 1 });
  });

  it('rejects invalid keys without quoting them', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const { publicKey } = generateKeyPairSync('ed25519');
    const signWith = (privateKey: typeof rsa | string) => () =>
      signHead(headOf(run), { ...SIGNING, key: { id: 'mine', privateKey } });

    expect(signWith(rsa)).toThrow("'mine' is no Ed25519 key");
    expect(signWith(publicKey)).toThrow("'mine' is a public one");
    expect(signWith('secret text')).toThrow(/^((?!secret).)*cannot be read((?!secret).)*$/);
  });
});
