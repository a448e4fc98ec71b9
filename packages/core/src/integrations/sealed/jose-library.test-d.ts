import type * as jose from 'jose';
import { expectTypeOf } from 'vitest';
import type { CipherKey, JoseLibrary, WebCryptoKey } from './jose-library.ts';

// What we use of the package, by shape, is there.
expectTypeOf<typeof jose>().toExtend<JoseLibrary>();

// Its keys, and those of Web Crypto, are ours.
expectTypeOf<jose.CryptoKey>().toExtend<CipherKey>();
expectTypeOf<Awaited<ReturnType<typeof crypto.subtle.importKey>>>().toExtend<WebCryptoKey>();
