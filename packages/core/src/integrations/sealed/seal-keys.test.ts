import { describe, expect, it } from 'vitest';
import { UserError } from '../../errors/user-errors.ts';
import { readKeys, type SealKey } from './seal-keys.ts';

const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index * 7);
const base64 = Buffer.from(bytes).toString('base64');
const base64url = Buffer.from(bytes).toString('base64url');

function imported(
  algorithm: string,
  usages: readonly ('encrypt' | 'decrypt' | 'wrapKey' | 'unwrapKey')[],
  length = 32,
) {
  return crypto.subtle.importKey('raw', bytes.slice(0, length), algorithm, false, [...usages]);
}

describe('keys of sealed runs', () => {
  it.each<[string, SealKey]>([
    ['bytes', bytes],
    ['base64 text', base64],
    ['base64 text without padding', base64.replace('=', '')],
    ['base64url text', base64url],
  ])('are %s', (_, key) => {
    expect(readKeys({ a: key }, undefined)).toEqual({
      sealWith: 'a',
      byId: new Map([['a', bytes]]),
    });
  });

  it('can be keys of Web Crypto', async () => {
    const key = await imported('AES-GCM', ['encrypt', 'decrypt']);

    expect(readKeys({ a: key }, undefined).byId.get('a')).toBe(key);
  });

  it('do not change when the caller changes the bytes', () => {
    const original = bytes.slice();
    const { byId } = readKeys({ a: original }, undefined);

    original.fill(0);

    expect(byId.get('a')).toEqual(bytes);
  });

  it.each<[string, unknown]>([
    ['too short', bytes.slice(0, 16)],
    ['too long', new Uint8Array(33)],
    ['text that is too short', 'c2VjcmV0'],
    ['a password', 'correct horse battery staple, correct horse!'],
    ['nothing', undefined],
    ['an object', {}],
    ['a number', 256],
  ])('are rejected with advice: %s', (_, key) => {
    const read = () => readKeys({ old: key as SealKey }, undefined);

    expect(read).toThrow(UserError);
    expect(read).toThrow(/The key `old` cannot seal runs. Pass 32 random bytes/);
  });

  it.each<[string, Promise<SealKey>]>([
    ['another algorithm', imported('AES-KW', ['wrapKey', 'unwrapKey'])],
    ['fewer bits', imported('AES-GCM', ['encrypt', 'decrypt'], 16)],
    ['only one way', imported('AES-GCM', ['encrypt'])],
  ])('are rejected if they have another purpose: %s', async (_, key) => {
    const other = await key;

    expect(() => readKeys({ old: other }, undefined)).toThrow(/cannot seal runs/);
  });

  it('never appear in errors', () => {
    const secret = `${base64}${base64}`;

    expect(() => readKeys({ old: secret }, undefined)).not.toThrow(base64);
  });

  it('need sealWith if there are several', () => {
    const keys = { '2026': bytes, old: base64 };

    expect(readKeys(keys, 'old').sealWith).toBe('old');
    expect(() => readKeys(keys, undefined)).toThrow(/several keys: `2026`, `old`. Set `sealWith`/);
    expect(() => readKeys(keys, 'older')).toThrow(/`sealWith` is `older`, but the keys are `2026`/);
    expect(() => readKeys(keys, 'constructor')).toThrow(/`sealWith` is `constructor`/);
    expect(() => readKeys({}, undefined)).toThrow(/need a key/);
  });
});
