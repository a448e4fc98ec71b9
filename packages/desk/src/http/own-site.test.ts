import { describe, expect, it } from 'vitest';
import { originOf, requireOwnSite } from './own-site.ts';

/** A stand-in for a `Request`, which rejects headers that only browsers may set. */
const requestWith = (headers: Record<string, string>, method = 'POST') => {
  const get = (name: string) => headers[name] ?? null;
  return { url: 'http://inside:8080/x', method, headers: { get } } as unknown as Request;
};

describe('origin of a request', () => {
  it.each([
    ['own', { 'sec-fetch-site': 'same-origin' }],
    ['own', { 'sec-fetch-site': 'same-origin', origin: 'https://desk.example' }],
    ['own', { 'sec-fetch-site': 'none' }],
    ['own', { origin: 'https://desk.example' }],
    ['foreign', { 'sec-fetch-site': 'same-site', origin: 'https://desk.example' }],
    ['foreign', { 'sec-fetch-site': 'cross-site', origin: 'https://desk.example' }],
    ['foreign', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }],
    ['foreign', { origin: 'https://evil.example' }],
    ['foreign', { origin: 'http://desk.example' }],
    ['foreign', { origin: 'https://desk.example.evil.example' }],
    ['foreign', { origin: 'null' }],
    ['unknown', {}],
  ])('is %s with %j', (origin, headers) => {
    expect(originOf(requestWith(headers), 'https://desk.example/base')).toBe(origin);
  });

  it.each([
    ['own', { origin: 'http://inside:8080' }],
    ['own', { origin: 'https://inside:8080' }],
    ['own', { 'sec-fetch-site': 'same-origin', origin: 'https://desk.example' }],
    ['foreign', { origin: 'https://desk.example' }],
    ['foreign', { origin: 'null' }],
    ['foreign', { 'sec-fetch-site': 'cross-site' }],
  ])('is %s with %j if the address of the desk is not configured', (origin, headers) => {
    expect(originOf(requestWith(headers), undefined)).toBe(origin);
  });
});

describe('request that changes something', () => {
  const own = { cookie: 'a=b', origin: 'https://desk.example', 'x-holdpoint-csrf': '1' };
  const check =
    (headers: Record<string, string>, method?: string, credential?: 'cookie' | 'token') => () =>
      requireOwnSite(requestWith(headers, method), 'https://desk.example', credential);

  it('is accepted with the header, from the own site', () => {
    expect(check(own)).not.toThrow();
  });

  it.each([
    ['without the header', { ...own, 'x-holdpoint-csrf': undefined }],
    ['from another site', { ...own, origin: 'https://evil.example' }],
    ['from an unknown origin', { ...own, origin: undefined }],
    ['with a password that the browser knows', { authorization: 'Basic YTpi' }],
  ])('is rejected %s', (_, headers) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value));
    expect(check(given as Record<string, string>)).toThrow(/another site/);
  });

  it('needs no header with a bearer token, or without credentials', () => {
    expect(check({ authorization: 'Bearer x' })).not.toThrow();
    expect(check({})).not.toThrow();
  });

  it('is judged by the credential that authenticated the caller', () => {
    const both = { cookie: 'a=b', authorization: 'Bearer x' };

    expect(check(both)).toThrow(/another site/);
    expect(check(both, 'POST', 'cookie')).toThrow(/another site/);
    expect(check(both, 'POST', 'token')).not.toThrow();
    expect(check({ authorization: 'Bearer x' }, 'POST', 'cookie')).toThrow(/another site/);
  });

  it('is recognised by its method', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(check({ cookie: 'a=b' }, method)).not.toThrow();
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(check({ cookie: 'a=b' }, method)).toThrow(/another site/);
    }
  });
});
