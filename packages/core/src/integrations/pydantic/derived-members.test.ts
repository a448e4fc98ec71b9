import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isYouTube, mediaTypeOfAddress, sha1 } from './derived-members.ts';

it.each([
  ['https://example.com/cat.png', 'image/png'],
  ['https://example.com/CAT.JPG?size=2#top', 'image/jpeg'],
  ['gs://bucket/x.pdf', 'application/pdf'],
  ['data:image/webp;base64,AAAA', 'image/webp'],
  ['https://example.com/cat', undefined],
  ['https://example.com/cat?file=a.png', undefined],
  ['https://example.com', undefined],
  ['file-abc', undefined],
])('derives the media type from the end of an address: %s', (address, type) => {
  expect(mediaTypeOfAddress(address)).toBe(type);
});

it.each([
  ['https://www.youtube.com/watch?v=abc', true],
  ['https://youtu.be/abc', true],
  ['https://youtube.com.example.com/abc', false],
  ['https://example.com/?u=https://youtube.com/', false],
])('recognizes an address of YouTube: %s', (address, expected) => {
  expect(isYouTube(address)).toBe(expected);
});

it('returns the SHA-1 of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(sha1(bytes)).toBe(createHash('sha1').update(bytes).digest('hex'));
    }),
  );
});
