import { readFileSync } from 'node:fs';
import { messageCodec } from 'holdpoint';
import { compactDecrypt, decodeProtectedHeader, jwtDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { HOUR, KEY, parkedRun, sealingDesk } from './desk.ts';

/** A token of version 1, created at noon on 15 November 2026. */
const STORED = readFileSync(new URL('../fixtures/sealed-run-v1.txt', import.meta.url), 'utf8');

describe('the format of a sealed run', () => {
  it('is a JWT that is encrypted with the key itself, and names the key', async () => {
    const { parked } = await parkedRun();

    const token = await sealingDesk().sealed.seal(parked);

    expect(decodeProtectedHeader(token)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      typ: 'holdpoint-run+jwt',
      kid: '2026-11',
    });
  });

  it('can be read with the key and jose alone', async () => {
    const { parked } = await parkedRun();
    const { sealed, clock } = sealingDesk();
    const token = await sealed.seal(parked);

    const { payload } = await jwtDecrypt(token, KEY, {
      audience: 'shop',
      typ: 'holdpoint-run+jwt',
      currentDate: new Date(clock.now()),
    });

    expect(Object.keys(payload)).toEqual(['holdpoint', 'version', 'aud', 'iat', 'exp', 'run']);
    expect(payload).toMatchObject({
      holdpoint: 'sealed-run',
      version: 1,
      aud: 'shop',
      iat: clock.now() / 1000,
      exp: (clock.now() + HOUR) / 1000,
    });
    expect(messageCodec.fromJSON(payload['run'])).toEqual(parked.messages);
  });

  it('is stable: a stored token of version 1 still opens', async () => {
    const { sealed, clock } = sealingDesk();

    const { requests, expiresAt } = await sealed.open(STORED.trim());

    expect(expiresAt).toBe(clock.now() + HOUR);
    expect(requests.approvals).toMatchObject([{ toolName: 'remove', toolCallId: 'c1' }]);
    expect(requests.get('c1').args).toEqual({ path: '.env' });
  });

  it('is about a third larger than the messages', async ({ annotate }) => {
    const { parked } = await parkedRun();
    const { sealed } = sealingDesk();

    const token = await sealed.seal(parked);

    const { plaintext } = await compactDecrypt(token, KEY);
    await annotate(`${token.length} characters for ${plaintext.length} bytes`);
    expect(token.length).toBeLessThan(200 + (plaintext.length * 4) / 3);
  });
});
