import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.ts';

describe('values that people must not see', () => {
  it.each([
    ['in another letter case', ['hunter2'], 'The HUNTER2 is it.', 'The [redacted] is it.'],
    ['with separators inside', ['41112222'], 'Card 4111 22-22.', 'Card [redacted].'],
    ['without the separators of the value', ['4111-2222'], 'Card 41112222.', 'Card [redacted].'],
    ['that begin alike', ['token-a', 'token-ab'], 'token-ab token-a', '[redacted] [redacted]'],
    ['that overlap', ['abcdef', 'defghi'], '<abcdefghi>', '<[redacted]>'],
    ['that contain each other', ['secret', 'my secret key'], 'my secret key', '[redacted]'],
    ['beside each other', ['abcd'], 'abcdabcd', '[redacted][redacted]'],
    ['after a part of them', ['aaab'], 'aaaaab', 'aa[redacted]'],
    ['that are short and stand alone', ['123'], 'CVC 123, not 1234.', 'CVC [redacted], not 1234.'],
    ['that are short and part of words', ['ab', 'b'], 'cab ab b', 'cab [redacted] [redacted]'],
    ['in JSON text inside JSON text', ['a"b\\c'], String.raw`a\\\"b\\\\c`, '[redacted]'],
    ['with letters of several code units', ['𝒜𝒷𝒸𝒹'], '(𝒜𝒷𝒸𝒹)', '([redacted])'],
    ['longer than 500 characters', ['x'.repeat(600)], `<${'x'.repeat(600)}>`, '<[redacted]>'],
  ])('are found %s', (_name, values, text, expected) => {
    expect(new Secrets(values).takeOutOfText(text)).toBe(expected);
  });

  it('are found in bounded time if there are thousands that begin alike', () => {
    const prefix = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9'.repeat(3);
    const values = Array.from({ length: 3_000 }, (_, index) => `${prefix}${index}`);
    const secrets = new Secrets(values);
    const text = `${prefix} `.repeat(3_000);

    const started = performance.now();
    expect(secrets.takeOutOfText(text)).toBe(text);
    expect(secrets.takeOutOfText(values.join('\n'))).not.toContain(prefix);
    // A search for one value after the other takes minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
