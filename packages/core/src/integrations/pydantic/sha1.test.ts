import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha1 } from './sha1.ts';

it('gives the SHA-1 of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(sha1(bytes)).toBe(createHash('sha1').update(bytes).digest('hex'));
    }),
  );
});
