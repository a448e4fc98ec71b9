import { UserError } from '../../errors/user-errors.ts';
import { messageOf } from '../../errors/thrown.ts';
import type { JsonObject } from '../../internal/json.ts';

/**
 * What is used of `jose`, by shape: the package is an optional peer, and our published types import
 * nothing. A test compiles the package against it.
 */
export interface JoseLibrary {
  readonly EncryptJWT: new (claims: Record<string, unknown>) => Encryption;
  /** Decrypts a token and checks its time; the key is asked for before anything is known to be genuine. */
  jwtDecrypt(
    token: string,
    keyFor: (header: object) => CipherKey,
    options: {
      readonly keyManagementAlgorithms: string[];
      readonly contentEncryptionAlgorithms: string[];
      readonly maxDecompressedLength: number;
      readonly requiredClaims: string[];
      readonly currentDate: Date;
    },
  ): Promise<{ readonly payload: object }>;
}

/** A token in the making. */
interface Encryption {
  setProtectedHeader(header: JsonObject & { readonly alg: string; readonly enc: string }): this;
  encrypt(key: CipherKey): Promise<string>;
}

/** A key as the package takes it. */
export type CipherKey = Uint8Array | WebCryptoKey;

/** A `CryptoKey` of Web Crypto, by shape: not every project knows the type. */
export interface WebCryptoKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** The package that encrypts and decrypts. */
export async function loadJose(): Promise<JoseLibrary> {
  try {
    // @ts-ignore: This must compile where the package is not installed; a test compares the types.
    return (await import('jose')) as JoseLibrary;
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UserError(
      `Sealed runs need the package jose, which cannot be loaded: ${reason}\n` +
        'Install it with `npm install jose`.',
      { cause, code: 'missing-package' },
    );
  }
}
