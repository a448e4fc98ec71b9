import { UserError } from '../../errors/user-errors.ts';
import { messageOf } from '../../errors/thrown.ts';
import type { JsonObject } from '../../internal/json.ts';

/**
 * The used part of `jose`, described structurally: the package is an optional peer, and the published types
 * import nothing. A test compiles the package against this interface.
 */
export interface JoseLibrary {
  readonly EncryptJWT: new (claims: Record<string, unknown>) => Encryption;
  /** Decrypts a token and validates its expiry. `keyFor` receives a header that is not authenticated yet. */
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

/** A builder of a token. */
interface Encryption {
  setProtectedHeader(header: JsonObject & { readonly alg: string; readonly enc: string }): this;
  encrypt(key: CipherKey): Promise<string>;
}

/** A key of the package. */
export type CipherKey = Uint8Array | WebCryptoKey;

/** A `CryptoKey` of Web Crypto, described structurally: not every project has the type. */
export interface WebCryptoKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** Imports the package that encrypts and decrypts. */
export async function loadJose(): Promise<JoseLibrary> {
  try {
    // @ts-ignore: This must compile without the package; a test compares the types.
    return (await import('jose')) as JoseLibrary;
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UserError(
      `Sealed runs need the package \`jose\`, which cannot be loaded: ${reason}\n` +
        'Install it with `npm install jose`.',
      { cause, code: 'missing-package' },
    );
  }
}
