import { inspect } from 'node:util';
import { type DeferredToolResults, MemoryLedger } from 'holdpoint';
import type { SealedRuns } from 'holdpoint/sealed';
import { CompactEncrypt, EncryptJWT, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/latch.ts';
import { present } from '../support/present.ts';
import { problemOf, KEY, parkedRun, sealingDesk } from './desk.ts';

let token: string;
let run: Awaited<ReturnType<typeof parkedRun>>;
let sealed: SealedRuns;
let results: DeferredToolResults;

const HEADER = { alg: 'dir', enc: 'A256GCM', typ: 'holdpoint-run+jwt', kid: '2026-11' };
const NOW = Date.UTC(2026, 10, 15, 12) / 1000;

beforeAll(async () => {
  const ledger = new MemoryLedger();
  run = await parkedRun({ ledger, prompt: 'The word is swordfish.' });
  results = run.parked.output.buildResults({ approveAll: true });
  sealed = sealingDesk({ ledger }).sealed;
  token = await sealed.seal(run.parked);
});

/** Returns the claims of a valid token, with changes. */
function claims(changes: object = {}): Record<string, unknown> {
  return {
    holdpoint: 'sealed-run',
    version: 1,
    aud: 'shop',
    iat: NOW,
    exp: NOW + 3600,
    run: { holdpoint: 'messages', version: 1, messages: run.parked.messages },
    ...changes,
  };
}

/** Creates a token with the real key. */
function forge(header: object, changes: object = {}, key = KEY): Promise<string> {
  return new EncryptJWT(claims(changes)).setProtectedHeader({ ...HEADER, ...header }).encrypt(key);
}

/** Passes a token to every method, and returns the error code. */
async function rejectionReason(bad: unknown): Promise<string> {
  const text = bad as string;
  const codes = new Set([
    await problemOf(sealed.open(text)),
    await problemOf(sealed.resume(run.agent, text, results)),
    await problemOf(sealed.resumeOptions(text, results)),
  ]);
  expect(run.shop.ran()).toEqual([]);
  expect(codes.size).toBe(1);
  return present([...codes][0]);
}

describe('a token that was changed', () => {
  it('is rejected for every changed character', { timeout: 60_000 }, async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const found: string[] = [];

    for (let index = 0; index < token.length; index++) {
      // This character differs only in the lowest bit, which may be unused.
      const position = alphabet.indexOf(present(token[index]));
      const other = position < 0 ? 'A' : present(alphabet[position ^ 1]);
      found.push(
        await problemOf(sealed.open(token.slice(0, index) + other + token.slice(index + 1))),
      );
    }

    expect(found).toHaveLength(token.length);
    expect(new Set(found)).toContain('tampered');
    expect(run.shop.ran()).toEqual([]);
  });

  it.each<[string, (genuine: string) => string]>([
    ['cut off', (genuine) => genuine.slice(0, -1)],
    ['cut to a piece', (genuine) => genuine.slice(0, 100)],
    ['longer', (genuine) => `${genuine}A`],
    ['with spaces around it', (genuine) => ` ${genuine}\n`],
    ['with a space in it', (genuine) => genuine.replace(/\.([^.]+)$/, '. $1')],
    ['padded', (genuine) => `${genuine}==`],
    ['in the other alphabet', (genuine) => `${genuine.slice(0, -1)}/`],
    ['with a sixth part', (genuine) => `${genuine}.AAAA`],
    ['with an encrypted key', (genuine) => genuine.replace('..', '.AAAA.')],
    ['without its tag', (genuine) => genuine.replace(/[^.]+$/, '')],
    ['without its vector', (genuine) => genuine.replace(/\.\.[^.]+\./, '...')],
    ['without its text', (genuine) => genuine.replace(/\.[^.]+(\.[^.]+)$/, '.$1')],
    ['with a shorter tag', (genuine) => genuine.slice(0, -6)],
    ['empty', () => ''],
    ['nothing but points', () => '....'],
  ])('is rejected: %s', async (_, change) => {
    expect(['malformed', 'tampered']).toContain(await rejectionReason(change(token)));
  });

  it('is rejected if it contains the ciphertext of another token', async () => {
    const other = await sealed.seal(run.parked);
    const parts = token.split('.');
    parts[3] = present(other.split('.')[3]);

    expect(await rejectionReason(parts.join('.'))).toBe('tampered');
  });
});

describe('a text that is not a sealed run', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', { token: 'x' }],
    ['a list', ['x']],
    ['bytes', new Uint8Array([1, 2, 3])],
  ])('is rejected: %s', async (_, bad) => {
    expect(await rejectionReason(bad)).toBe('malformed');
  });

  it('is rejected: the messages themselves', async () => {
    expect(await rejectionReason(JSON.stringify(run.parked.messages))).toBe('malformed');
  });

  it('is rejected: a token without encryption, signed or not', async () => {
    const signed = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', typ: 'holdpoint-run+jwt', kid: '2026-11' })
      .sign(KEY);

    expect(await rejectionReason(signed)).toBe('malformed');
    expect(await rejectionReason(new UnsecuredJWT(claims()).encode())).toBe('malformed');
  });

  it('is rejected: one that requires no algorithm', async () => {
    const [, key, iv, text, tag] = token.split('.');
    const header = (more: object) =>
      Buffer.from(JSON.stringify({ ...HEADER, ...more })).toString('base64url');

    for (const more of [{ alg: 'none' }, { enc: 'none' }]) {
      expect(await rejectionReason([header(more), key, iv, text, tag].join('.'))).toBe(
        'wrong-algorithm',
      );
    }
  });

  it.each([
    { alg: 'A256KW', enc: 'A256GCM' },
    { alg: 'A256GCMKW', enc: 'A256GCM' },
    { alg: 'dir', enc: 'A128CBC-HS256' },
  ])('is rejected: the right key, but another algorithm: $alg with $enc', async (header) => {
    expect(await rejectionReason(await forge(header))).toBe('wrong-algorithm');
  });

  it('is rejected: one whose key is a password with a cost that the token chooses', async () => {
    const password = new TextEncoder().encode('swordfish');
    const expensive = await new CompactEncrypt(new TextEncoder().encode('{}'))
      .setProtectedHeader({ ...HEADER, alg: 'PBES2-HS256+A128KW' })
      .encrypt(password);

    expect(await rejectionReason(expensive)).toBe('wrong-algorithm');
  });

  it.each<[string, object]>([
    ['of no kind', { typ: undefined }],
    ['of another kind', { typ: 'JWT' }],
    ['of a kind that looks like it', { typ: 'Holdpoint-Run+jwt' }],
    ['with something else in its header', { cty: 'json' }],
    ['that is compressed', { zip: 'DEF' }],
  ])('is rejected: a token with the right key %s', async (_, header) => {
    expect(await rejectionReason(await forge(header))).toBe('wrong-kind');
  });

  it('is rejected: one that requires an extension', async () => {
    const header = { ...HEADER, crit: ['x'], x: true };
    const [, ...rest] = token.split('.');
    const text = Buffer.from(JSON.stringify(header)).toString('base64url');

    expect(await rejectionReason([text, ...rest].join('.'))).toBe('malformed');
  });

  it.each<[string, object]>([
    ['no id', { kid: undefined }],
    ['another id', { kid: '2026-10' }],
    ['an id that every object has', { kid: 'constructor' }],
    ['the id of a prototype', { kid: '__proto__' }],
    ['no text as an id', { kid: 7 }],
  ])('is rejected: %s of a key', async (_, header) => {
    expect(await rejectionReason(await forge(header))).toBe('unknown-key');
  });

  it('is rejected: the right id, but another key', async () => {
    expect(await rejectionReason(await forge({}, {}, KEY.toReversed()))).toBe('tampered');
  });
});

describe('a token made with the right key', () => {
  it('is accepted if it is valid', async () => {
    const { requests } = await sealed.open(await forge({}));

    expect(requests.approvals.map(({ toolCallId }) => toolCallId)).toEqual(['c1']);
  });

  it.each<[string, string, object]>([
    ['no audience', 'wrong-audience', { aud: undefined }],
    ['several audiences', 'wrong-audience', { aud: ['shop', 'bank'] }],
    ['no end', 'invalid-run', { exp: undefined }],
    ['an end that is no number', 'invalid-run', { exp: '2099' }],
    ['an end in the past', 'expired', { exp: NOW }],
    ['a beginning in the future', 'invalid-run', { nbf: NOW + 60 }],
    ['another document', 'invalid-run', { holdpoint: 'messages' }],
    ['no document', 'invalid-run', { holdpoint: undefined }],
    ['a newer version', 'invalid-run', { version: 2 }],
    ['no run', 'invalid-run', { run: undefined }],
    ['a run that is a text', 'invalid-run', { run: '[]' }],
    ['no messages', 'invalid-run', { run: { holdpoint: 'messages', version: 1 } }],
    ['messages of nobody', 'invalid-run', { run: [] }],
    ['messages that are broken', 'invalid-run', { run: [{ kind: 'request', parts: 7 }] }],
    [
      'a run without a response',
      'invalid-run',
      { run: [{ kind: 'request', parts: [{ kind: 'user-prompt', content: 'Hi.' }] }] },
    ],
    [
      'calls of which nobody knows what they wait for',
      'invalid-run',
      {
        run: [
          {
            kind: 'response',
            parts: [{ kind: 'tool-call', toolName: 'remove', toolCallId: 'c1' }],
          },
        ],
      },
    ],
    [
      'a step record that is broken',
      'invalid-run',
      {
        run: [
          {
            kind: 'response',
            parts: [{ kind: 'tool-call', toolName: 'remove', toolCallId: 'c1', args: {} }],
            metadata: { holdpoint: { v: 1, step: 's', open: { c1: { kind: 'anything' } } } },
          },
        ],
      },
    ],
  ])('is rejected if it has %s', async (_, code, changes) => {
    expect(await rejectionReason(await forge({}, changes))).toBe(code);
  });

  it('is rejected if its content is no JSON', async () => {
    const text = await new CompactEncrypt(new TextEncoder().encode('{"holdpoint":'))
      .setProtectedHeader(HEADER)
      .encrypt(KEY);

    expect(await rejectionReason(text)).toBe('invalid-run');
  });

  it('is rejected if it is nested endlessly', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const payload = JSON.stringify(claims()).replace(
      '"messages":[',
      `"messages":[{"kind":"request","parts":[],"metadata":{"x":${deep}}},`,
    );
    const text = await new CompactEncrypt(new TextEncoder().encode(payload))
      .setProtectedHeader(HEADER)
      .encrypt(KEY);

    expect(await rejectionReason(text)).toBe('invalid-run');
  });
});

describe('the error', () => {
  it.each<[string, () => Promise<string>]>([
    ['a changed token', async () => `${token.slice(0, -2)}AA`],
    ['another audience', () => forge({}, { aud: 'bank' })],
    ['a token that is over', () => forge({}, { exp: NOW })],
    ['a token that has no end', () => forge({}, { exp: undefined })],
    ['a newer version', () => forge({}, { version: 2 })],
  ])('of %s contains nothing of the content', async (_, make) => {
    const error = await rejectionOf(sealed.open(await make()));

    expect(error).not.toHaveProperty('cause');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('swordfish');
    expect(String(error)).toMatch(/was rejected, and nothing was executed: \S/);
  });
});
