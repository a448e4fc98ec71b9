import { describe, expect, it } from 'vitest';
import { byToken, newToken } from './own-token.ts';

const caller = { tenant: 'default', person: { id: 'ada' } };
const ask = (token: string, authorization?: string) => {
  const headers: HeadersInit = authorization === undefined ? {} : { authorization };
  return byToken(token, caller)(new Request('http://desk.test', { headers }));
};

describe('the token of a desk', () => {
  it('lets in whoever has it', () => {
    const token = newToken();

    expect(ask(token, `Bearer ${token}`)).toBe(caller);
  });

  it.each([undefined, '', 'Bearer', 'Bearer secre', 'Bearer secrets', 'secret', 'Basic secret'])(
    'does not let in who says “%s”',
    (authorization) => {
      expect(ask('secret', authorization)).toBeUndefined();
    },
  );

  it('is another one each time', () => {
    expect(newToken()).not.toBe(newToken());
    expect(newToken().length).toBeGreaterThanOrEqual(32);
  });
});
