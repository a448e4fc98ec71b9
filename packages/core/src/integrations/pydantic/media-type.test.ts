import { expect, it } from 'vitest';
import { mediaTypeOfAddress, isYouTube } from './media-type.ts';

it.each([
  ['https://example.com/cat.png', 'image/png'],
  ['https://example.com/CAT.JPG?size=2#top', 'image/jpeg'],
  ['gs://bucket/x.pdf', 'application/pdf'],
  ['data:image/webp;base64,AAAA', 'image/webp'],
  ['https://example.com/cat', undefined],
  ['https://example.com/cat?file=a.png', undefined],
  ['https://example.com', undefined],
  ['file-abc', undefined],
])('goes by the end of the address: %s', (address, type) => {
  expect(mediaTypeOfAddress(address)).toBe(type);
});

it.each([
  ['https://www.youtube.com/watch?v=abc', true],
  ['https://youtu.be/abc', true],
  ['https://youtube.com.example.com/abc', false],
  ['https://example.com/?u=https://youtube.com/', false],
])('knows the addresses of YouTube: %s', (address, expected) => {
  expect(isYouTube(address)).toBe(expected);
});
