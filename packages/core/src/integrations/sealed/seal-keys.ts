import { UserError } from '../../errors/user-errors.ts';
import type { CipherKey, WebCryptoKey } from './jose-library.ts';

/**
 * A key of 256 bits: its 32 bytes, the same as base64 text, or a `CryptoKey` for AES-GCM.
 *
 * `openssl rand -base64 32` makes one.
 */
export type SealKey = string | Uint8Array | WebCryptoKey;

/** The keys of sealed runs by id, and the one that new tokens are sealed with. */
export interface SealKeys {
  readonly sealWith: string;
  /** Without a prototype: the ids that tokens name come from outside. */
  readonly byId: ReadonlyMap<string, CipherKey>;
}

/** Looks at keys before anything depends on them. */
export function readKeys(
  keys: Readonly<Record<string, SealKey>>,
  sealWith: string | undefined,
): SealKeys {
  const byId = new Map(Object.entries(keys).map(([id, key]) => [id, readKey(id, key)]));
  const ids = [...byId.keys()];
  if (ids.length === 0) {
    throw new UserError(
      "Sealed runs need a key: keys: { '2026-11': key }. `openssl rand -base64 32` makes one.",
    );
  }
  const chosen = sealWith ?? (ids.length === 1 ? ids[0] : undefined);
  if (chosen === undefined) {
    throw new UserError(
      `There are several keys: ${quoted(ids)}. Say with sealWith which one new tokens are sealed with.`,
    );
  }
  if (!byId.has(chosen)) {
    throw new UserError(
      `sealWith is '${chosen}', but the keys are ${quoted(ids)}. Name one of them.`,
    );
  }
  return { sealWith: chosen, byId };
}

const KEY_BYTES = 32;

function readKey(id: string, key: SealKey): CipherKey {
  if (typeof key === 'string') return ofRightLength(id, fromBase64(key));
  // A copy: whoever clears the bytes later does not change the key.
  if (key instanceof Uint8Array) return ofRightLength(id, key.slice());
  if (isAesKey(key)) return key;
  throw wrongKey(id);
}

function ofRightLength(id: string, bytes: Uint8Array | undefined): Uint8Array {
  if (bytes?.length === KEY_BYTES) return bytes;
  throw wrongKey(id);
}

/** Says nothing about the key itself. */
function wrongKey(id: string): UserError {
  return new UserError(
    `The key '${id}' cannot seal runs. Give 32 random bytes, also as base64 text, or a CryptoKey for AES-GCM with ` +
      '256 bits that may encrypt and decrypt.',
  );
}

/** The bytes of either alphabet of base64; `undefined` if the text is something else. */
function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
}

function isAesKey(key: unknown): key is WebCryptoKey {
  if (typeof key !== 'object' || key === null) return false;
  const { type, algorithm, usages } = key as Partial<WebCryptoKey>;
  // `length` is there where the name is that of AES.
  const { name, length } = (algorithm ?? {}) as { name?: unknown; length?: unknown };
  const mayDo =
    Array.isArray(usages) && ['encrypt', 'decrypt'].every((one) => usages.includes(one));
  return type === 'secret' && name === 'AES-GCM' && length === KEY_BYTES * 8 && mayDo;
}

function quoted(ids: readonly string[]): string {
  return ids.map((id) => `'${id}'`).join(', ');
}
