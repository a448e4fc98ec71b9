import { UserError } from '../../errors/user-errors.ts';
import type { CipherKey, WebCryptoKey } from './jose-library.ts';

/**
 * A key of 256 bits: 32 bytes, their base64 text, or a `CryptoKey` for AES-GCM.
 *
 * `openssl rand -base64 32` creates one.
 */
export type SealKey = string | Uint8Array | WebCryptoKey;

/** The keys of sealed runs. */
export interface SealKeys {
  /** The id of the key that seals new tokens. */
  readonly sealWith: string;
  readonly byId: ReadonlyMap<string, CipherKey>;
}

/** Validates and copies the keys. */
export function readKeys(
  keys: Readonly<Record<string, SealKey>>,
  sealWith: string | undefined,
): SealKeys {
  const byId = new Map(Object.entries(keys).map(([id, key]) => [id, readKey(id, key)]));
  const ids = [...byId.keys()];
  if (ids.length === 0) {
    throw new UserError(
      "Sealed runs need a key. Set `keys: { '2026-11': key }`. `openssl rand -base64 32` creates a key.",
    );
  }
  const keyId = sealWith ?? (ids.length === 1 ? ids[0] : undefined);
  if (keyId === undefined) {
    throw new UserError(
      `There are several keys: ${listIds(ids)}. Set \`sealWith\` to the id of the key that seals new tokens.`,
    );
  }
  if (!byId.has(keyId)) {
    throw new UserError(
      `The option \`sealWith\` is \`${keyId}\`, but the keys are ${listIds(ids)}. Set it to one of them.`,
    );
  }
  return { sealWith: keyId, byId };
}

const KEY_BYTES = 32;

function readKey(id: string, key: SealKey): CipherKey {
  if (typeof key === 'string') return requireLength(id, fromBase64(key));
  // A copy, because the caller may clear the bytes later.
  if (key instanceof Uint8Array) return requireLength(id, key.slice());
  if (isAesKey(key)) return key;
  throw invalidKey(id);
}

function requireLength(id: string, bytes: Uint8Array | undefined): Uint8Array {
  if (bytes?.length === KEY_BYTES) return bytes;
  throw invalidKey(id);
}

/** Creates an error that does not reveal the key. */
function invalidKey(id: string): UserError {
  return new UserError(
    `The key \`${id}\` cannot seal runs. Pass 32 random bytes, their base64 text, or a \`CryptoKey\` for ` +
      'AES-GCM with 256 bits and the usages `encrypt` and `decrypt`.',
  );
}

/** Decodes base64 or base64url. Returns `undefined` for other text. */
function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
}

function isAesKey(key: unknown): key is WebCryptoKey {
  if (typeof key !== 'object' || key === null) return false;
  const { type, algorithm, usages } = key as Partial<WebCryptoKey>;
  // Algorithms of AES have a `length`.
  const { name, length } = (algorithm ?? {}) as { name?: unknown; length?: unknown };
  const hasUsages =
    Array.isArray(usages) && ['encrypt', 'decrypt'].every((one) => usages.includes(one));
  return type === 'secret' && name === 'AES-GCM' && length === KEY_BYTES * 8 && hasUsages;
}

function listIds(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}
