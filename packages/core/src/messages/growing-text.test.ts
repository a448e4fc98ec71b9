import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingText } from './growing-text.ts';

it('is the text that its pieces are, however many there are and whenever it is read', () => {
  const pieces = fc.array(fc.string({ maxLength: 3 }), { maxLength: 700, size: 'max' });
  fc.assert(
    fc.property(fc.string(), pieces, fc.nat(700), (start, all, readAt) => {
      const growing = new GrowingText(start);
      let expected = start;
      for (const [index, piece] of all.entries()) {
        growing.add(piece);
        expected += piece;
        if (index === readAt) expect(growing.text).toBe(expected);
      }

      expect(growing.text).toBe(expected);
    }),
  );
});
