import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessages } from '../../../test/support/arbitrary-messages.ts';
import { arbitrarilyMutated } from '../../../test/support/mutate-json.ts';
import { expectLoadedOrRejected } from '../../../test/support/outcomes.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { type BinaryContent, bytesOf } from '../content.ts';
import { messageCodec } from './index.ts';

describe('any history', () => {
  it('is the same after it was dumped and loaded', () => {
    fc.assert(
      fc.property(arbitraryMessages, (messages) => {
        const loaded = messageCodec.parse(messageCodec.stringify(messages));

        expect(loaded).toEqual(messages);
        // Also compares the order of members and names such as `__proto__`, which `toEqual`
        // ignores.
        expect(JSON.stringify(loaded)).toBe(JSON.stringify(messages));
      }),
    );
  });

  it('loads from plain JSON and from its objects', () => {
    fc.assert(
      fc.property(arbitraryMessages, (messages) => {
        const text = JSON.stringify(messages);

        expect(messageCodec.parse(text)).toEqual(messages);
        expect(messageCodec.fromJSON(JSON.parse(text))).toEqual(messages);
        expect(messageCodec.fromJSON(messages)).toEqual(messages);
      }),
    );
  });

  it('is loaded into frozen copies and does not change', () => {
    fc.assert(
      fc.property(arbitraryMessages, (messages) => {
        const before = JSON.stringify(messages);

        const loaded = messageCodec.fromJSON(messages);

        const originals = objectsIn(messages);
        expect(objectsIn(loaded).filter((object) => !Object.isFrozen(object))).toEqual([]);
        expect(objectsIn(loaded).filter((object) => originals.includes(object))).toEqual([]);
        expect(originals.filter((object) => Object.isFrozen(object))).toEqual([]);
        expect(JSON.stringify(messages)).toBe(before);
      }),
    );
  });

  it('is deeply frozen if it is loaded from text, and is dumped without a copy', () => {
    fc.assert(
      fc.property(arbitraryMessages, (messages) => {
        const text = messageCodec.stringify(messages);

        const loaded = messageCodec.parse(text);

        expect(objectsIn(loaded).filter((object) => !Object.isFrozen(object))).toEqual([]);
        expect(messageCodec.stringify(loaded)).toBe(text);
      }),
    );
  });
});

describe('any document with mistakes', () => {
  const mutated = arbitraryMessages.chain((messages) =>
    arbitrarilyMutated(messageCodec.toJSON(messages)),
  );

  it('either loads or is rejected with the path of the mistake', () => {
    expectLoadedOrRejected(mutated, messageCodec.fromJSON, (outcome) => {
      expect(messageCodec.parse(messageCodec.stringify(outcome))).toEqual(outcome);
    });
  });
});

describe('the bytes of a file', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'Q', '=', '-', '_', '+', '/', '!', ' ') });

  it('are accepted when they can be decoded', () => {
    fc.assert(
      fc.property(text, (data) => {
        const content: BinaryContent = { kind: 'binary', data, mediaType: 'a/b' };
        const load = () =>
          messageCodec.fromJSON([{ kind: 'response', parts: [{ kind: 'file', content }] }]);

        if (data.includes(' ') || !canDecode(content)) expect(load).toThrow(InvalidJsonError);
        else expect(load).not.toThrow();
      }),
    );
  });
});

function canDecode(content: BinaryContent): boolean {
  try {
    bytesOf(content);
    return true;
  } catch {
    return false;
  }
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
