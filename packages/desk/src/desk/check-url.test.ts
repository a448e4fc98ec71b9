import { describe, expect, it } from 'vitest';
import { checkUrl } from './check-url.ts';

describe('the address of a desk', () => {
  it.each([
    ['https://example.com', 'https://example.com'],
    ['https://example.com/desk/', 'https://example.com/desk'],
    ['http://127.0.0.1:4680', 'http://127.0.0.1:4680'],
    ['http://localhost:4680/', 'http://localhost:4680'],
    ['http://[::1]:4680/', 'http://[::1]:4680'],
  ])('may be %s', (address, kept) => {
    expect(checkUrl('url', address)).toBe(kept);
  });

  it.each([
    'desk',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://example.com/?a=1',
    'https://example.com/#a',
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
  ])('is not %s', (address) => {
    expect(() => checkUrl('url', address)).toThrow(/The url/);
  });
});
