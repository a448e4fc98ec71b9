import { InvalidJsonError } from '../../errors/user-errors.ts';
import { JsonPath, messageCodec, openDocument } from '../../messages/codec/index.ts';
import type { Message } from '../../messages/message.ts';
import { type CipherKey, loadJose } from './jose-library.ts';
import type { SealKeys } from './seal-keys.ts';
import { SealedRunError } from './sealed-run-error.ts';

/** The media type in the header of a token: nothing else that the same key encrypts is taken for a run. */
const TYPE = 'holdpoint-run+jwt';

/** What a token holds says what it is, like all documents. */
const DOCUMENT = { holdpoint: 'sealed-run', version: 1 } as const;

const ALGORITHMS = { alg: 'dir', enc: 'A256GCM' } as const;

/** What a token is bound to, beside its key. */
export interface TokenBinding {
  readonly keys: SealKeys;
  readonly audience: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a genuine token holds. */
export interface TokenContent {
  readonly messages: readonly Message[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Encrypts messages. Tokens count time in whole seconds, so one may end up to a second early. */
export async function makeToken(
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
  return (
    new EncryptJWT(claims)
      .setProtectedHeader({ ...ALGORITHMS, typ: TYPE, kid: sealWith })
      // Keys are read only if this one is among them.
      .encrypt(byId.get(sealWith)!)
  );
}

/** Decrypts a token and checks all that it says. */
export async function readToken(token: string, binding: TokenBinding): Promise<TokenContent> {
  requireShape(token);
  const claims = await decrypt(token, binding);
  if (claims['aud'] !== binding.audience) {
    throw new SealedRunError(
      'wrong-audience',
      'it was made for another audience. Open it with that one.',
    );
  }
  // Checked to be a number when the time was.
  const expiresAt = (claims['exp'] as number) * 1000;
  return { messages: readRun(claims), expiresAt };
}

/**
 * Five parts in the one spelling that base64url has for their bytes: the decoder would let spaces and
 * unused bits pass, and a token could be changed without a difference.
 */
function requireShape(token: string): void {
  const parts = token.split('.');
  if (parts.length === 5 && parts.every((part) => CANONICAL.test(part))) return;
  throw new SealedRunError(
    'malformed',
    'this is not an encrypted token, or only a piece of one. Send all of it, as seal gave it.',
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
    // A set of claims is an object.
    return payload as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw refusal(error);
  }
}

/** The key that a header names, which nothing has proved yet. */
function keyFor(header: object, { byId }: SealKeys): CipherKey {
  const { alg: _alg, enc: _enc, typ, kid, ...others } = header as Record<string, unknown>;
  if (typ !== TYPE || Object.keys(others).length > 0) {
    throw new SealedRunError(
      'wrong-kind',
      'it is a token of another kind. Send one that seal made.',
    );
  }
  const key = typeof kid === 'string' ? byId.get(kid) : undefined;
  if (key !== undefined) return key;
  throw new SealedRunError(
    'unknown-key',
    'there is no key of the id that it names. Keep old keys until their last token has ended.',
  );
}

/** What the errors of the package mean. They hold what was decrypted, so none is passed on. */
function refusal(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof SealedRunError || !code.startsWith('ERR_J')) return error;
  switch (code) {
    case 'ERR_JWT_EXPIRED':
      return new SealedRunError(
        'expired',
        'its time is over. Seal the run again, or start a new one.',
      );
    case 'ERR_JWE_DECRYPTION_FAILED':
      return new SealedRunError(
        'tampered',
        'it was changed, or its key is not the one of that id. Send it as seal gave it.',
      );
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return new SealedRunError(
        'wrong-algorithm',
        'it is not encrypted as sealed runs are. Send one that seal made.',
      );
    case 'ERR_JWE_INVALID':
    case 'ERR_JOSE_NOT_SUPPORTED':
      return new SealedRunError(
        'malformed',
        'this is not a token that could be decrypted. Send one that seal made.',
      );
    default:
      return new SealedRunError(
        'invalid-run',
        'what it holds is not what a token holds. Seal the run again.',
      );
  }
}

/** The messages are looked at like those of any document from outside. */
function readRun(claims: Readonly<Record<string, unknown>>): readonly Message[] {
  try {
    return messageCodec.fromJSON(openDocument(claims, DOCUMENT, JsonPath.root)['run']);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new SealedRunError('invalid-run', error.message);
  }
}
