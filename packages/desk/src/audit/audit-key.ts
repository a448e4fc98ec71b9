import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { UserError } from 'holdpoint';

/** A key object of `node:crypto`, or a PEM text. */
export type AuditKeyLike = KeyObject | string;

/** The key that signs checkpoints. */
export interface AuditKey {
  /** The name of the key in checkpoints. A verifier finds the public key by it. */
  readonly id: string;
  /** An Ed25519 key, for example of `generateKeyPairSync('ed25519')`. */
  readonly privateKey: AuditKeyLike;
}

/** Returns the private key that signs. */
export function signingKey({ id, privateKey }: AuditKey): KeyObject {
  if (id === '') throw new UserError('The id of the audit key is empty. Pass a name.');
  const key = asEd25519(id, () =>
    typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey,
  );
  if (key.type === 'private') return key;
  throw new UserError(`The audit key '${id}' is a public one. To sign takes the private one.`);
}

/** Returns a public key that verifies. */
export function verifyingKey(id: string, key: AuditKeyLike): KeyObject {
  return asEd25519(id, () => (typeof key === 'string' ? createPublicKey(key) : key));
}

function asEd25519(id: string, load: () => KeyObject): KeyObject {
  const key = loaded(id, load);
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new UserError(`The audit key '${id}' is no Ed25519 key. Make one for this.`);
}

function loaded(id: string, load: () => KeyObject): KeyObject {
  try {
    return load();
  } catch {
    // The cause might quote the key.
    throw new UserError(
      `The audit key '${id}' cannot be read. Give a key of node:crypto, or a PEM.`,
    );
  }
}
