import type * as jose from 'jose';
import { expectTypeOf } from 'vitest';
import type { CipherKey, JoseLibrary, WebCryptoKey } from './jose-library.ts';

// The package has the members that the structural types describe.
expectTypeOf<typeof jose>().toExtend<JoseLibrary>();

// Its keys, and those of Web Crypto, are accepted.
expectTypeOf<jose.CryptoKey>().toExtend<CipherKey>();
expectTypeOf<Awaited<ReturnType<typeof crypto.subtle.importKey>>>().toExtend<WebCryptoKey>();
