import { describe, expect, it } from 'vitest';
import { returnAddress } from './return-to.ts';

const URL_OF_DESK = 'https://desk.example/desk';

describe('address after the sign-in', () => {
  it.each([
    ['/desk/inbox/holds/1?a=b#c', 'https://desk.example/desk/inbox/holds/1?a=b#c'],
    ['/desk/a/../inbox', 'https://desk.example/desk/inbox'],
  ])('is the requested page of the desk: %s', (wanted, address) => {
    expect(returnAddress(URL_OF_DESK, wanted)).toBe(address);
  });

  it.each([
    null,
    '',
    'inbox',
    'https://evil.example/',
    'https:evil.example',
    '//evil.example/desk/inbox',
    '///evil.example/desk/',
    '/\\evil.example/desk/',
    '/\t/evil.example/desk/',
    '/desk\n/inbox',
    '\\\\evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/other/place',
    '/deskx/inbox',
    '/desk/../other',
    `/desk/${'a'.repeat(2_000)}`,
  ])('is the inbox otherwise: %j', (wanted) => {
    expect(returnAddress(URL_OF_DESK, wanted)).toBe('https://desk.example/desk/inbox');
  });

  it('is never on another site, also if two slashes remain of a path', () => {
    const address = returnAddress('https://desk.example', '/a/..//evil.example');

    expect(new URL(address).host).toBe('desk.example');
    expect(address).toBe('https://desk.example//evil.example');
  });
});
