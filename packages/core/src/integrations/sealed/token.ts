import { SealedRunError } from './sealed-run-error.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { invariant } from '../../internal/invariant.ts';
import { JsonPath, messageCodec, openDocument } from '../../messages/codec/index.ts';
import type { Message } from '../../messages/message.ts';
import { type CipherKey, loadJose } from './jose-library.ts';
import type { SealKeys } from './seal-keys.ts';

/** The media type in the header. Other tokens that the same key encrypts are not accepted as runs. */
const TYPE = 'holdpoint-run+jwt';

/** The header of the document in a token. */
const DOCUMENT = { holdpoint: 'sealed-run', version: 1 } as const;

const ALGORITHMS = { alg: 'dir', enc: 'A256GCM' } as const;

/** The keys, audience and time for which a token is valid. */
export interface TokenBinding {
  readonly keys: SealKeys;
  readonly audience: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The content of an authentic token. */
export interface TokenContent {
  readonly messages: readonly Message[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Encrypts messages. Tokens store whole seconds, so one may expire up to a second early. */
export async function createToken(
  messages: readonly Message[],
  { keys, audience, now }: TokenBinding,
  expiresIn: number,
): Promise<string> {
  const claims = {
    ...DOCUMENT,
    aud: audience,
    iat: Math.floor(now / 1000),
    exp: Math.floor((now + expiresIn) / 1000),
    run: messageCodec.toJSON(messages),
  };
  const { EncryptJWT } = await loadJose();
  const { sealWith, byId } = keys;
  const key = invariant(byId.get(sealWith), 'the keys contain the sealing key');
  return new EncryptJWT(claims)
    .setProtectedHeader({ ...ALGORITHMS, typ: TYPE, kid: sealWith })
    .encrypt(key);
}

/** Decrypts a token and validates its content. */
export async function readToken(token: string, binding: TokenBinding): Promise<TokenContent> {
  requireCanonicalParts(token);
  const claims = await decrypt(token, binding);
  if (claims['aud'] !== binding.audience) {
    throw new SealedRunError(
      'wrong-audience',
      'it was sealed for another audience. Open it with the same `audience`.',
    );
  }
  // The package validated that it is a number.
  const expiresAt = (claims['exp'] as number) * 1000;
  return { messages: readRun(claims), expiresAt };
}

/**
 * Requires five parts in canonical base64url. The decoder ignores spaces and unused bits, so a token could
 * otherwise be changed without detection.
 */
function requireCanonicalParts(token: string): void {
  const parts = token.split('.');
  if (parts.length === 5 && parts.every((part) => CANONICAL.test(part))) return;
  throw new SealedRunError(
    'malformed',
    'this is not an encrypted token, or it is incomplete. Pass the whole text that `seal` returned.',
  );
}

const CANONICAL = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

async function decrypt(
  token: string,
  { keys, now }: TokenBinding,
): Promise<Readonly<Record<string, unknown>>> {
  const { jwtDecrypt } = await loadJose();
  try {
    const { payload } = await jwtDecrypt(token, (header) => keyFor(header, keys), {
      keyManagementAlgorithms: [ALGORITHMS.alg],
      contentEncryptionAlgorithms: [ALGORITHMS.enc],
      maxDecompressedLength: 0,
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    // Claims are an object.
    return payload as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw rejectionOf(error);
  }
}

/** Returns the key of a header, which is not authenticated yet. */
function keyFor(header: object, { byId }: SealKeys): CipherKey {
  const { alg: _alg, enc: _enc, typ, kid, ...others } = header as Record<string, unknown>;
  if (typ !== TYPE || Object.keys(others).length > 0) {
    throw new SealedRunError(
      'wrong-kind',
      'it is a token of another kind. Pass one that `seal` returned.',
    );
  }
  const key = typeof kid === 'string' ? byId.get(kid) : undefined;
  if (key !== undefined) return key;
  throw new SealedRunError(
    'unknown-key',
    'no key has the id in its header. Keep old keys in `keys` until their last token has expired.',
  );
}

/** Converts the errors of the package, which contain decrypted data. */
function rejectionOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof SealedRunError || !code.startsWith('ERR_J')) return error;
  switch (code) {
    case 'ERR_JWT_EXPIRED':
      return new SealedRunError(
        'expired',
        'it is expired. Seal the run again, or start a new one.',
      );
    case 'ERR_JWE_DECRYPTION_FAILED':
      return new SealedRunError(
        'tampered',
        'it was changed, or another key has this id. Pass the text that `seal` returned.',
      );
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return new SealedRunError(
        'wrong-algorithm',
        'it uses another algorithm than sealed runs. Pass one that `seal` returned.',
      );
    case 'ERR_JWE_INVALID':
    case 'ERR_JOSE_NOT_SUPPORTED':
      return new SealedRunError(
        'malformed',
        'this token cannot be decrypted. Pass one that `seal` returned.',
      );
    default:
      return new SealedRunError('invalid-run', 'its content is invalid. Seal the run again.');
  }
}

/** Validates the messages like those of every stored document. */
function readRun(claims: Readonly<Record<string, unknown>>): readonly Message[] {
  try {
    return messageCodec.fromJSON(openDocument(claims, DOCUMENT, JsonPath.root)['run']);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new SealedRunError('invalid-run', error.message);
  }
}
