import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartialJson } from './partial-json.ts';

/** Returns the values of a text after each of its characters. */
function valuesOf(text: string): unknown[] {
  const json = new PartialJson();
  return [...text].map((character) => {
    json.push(character);
    return json.value;
  });
}

function valueOf(...pieces: string[]): unknown {
  const json = new PartialJson();
  for (const piece of pieces) json.push(piece);
  return json.value;
}

/** Returns whether `part` can grow into `whole`: strings and lists may be shorter, and members may be missing. */
function growsInto(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null) return false;
  if (Array.isArray(part) !== Array.isArray(whole)) return false;
  return Object.entries(part).every(
    ([key, value]) =>
      Object.hasOwn(whole, key) && growsInto(value, (whole as Record<string, unknown>)[key]),
  );
}

const anyJson = fc.jsonValue({ stringUnit: 'binary' });
const anyText = fc.tuple(anyJson, fc.constantFrom(undefined, 1, '\t')).map(([value, indent]) => {
  return JSON.stringify(value, null, indent);
});
const structured = anyText.filter((text) => /^[[{"]/.test(text));

describe('incomplete JSON', () => {
  it('is parsed after every character of any JSON', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(() => valuesOf(text)).not.toThrow();
      }),
    );
  });

  it('is parsed after every character of a text that is not JSON', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0atrue1.e- \n') });
    fc.assert(
      fc.property(noise, (text) => {
        expect(() => valuesOf(text)).not.toThrow();
      }),
    );
  });

  it('is the whole value when it is complete', () => {
    fc.assert(
      fc.property(structured, (text) => {
        expect(valueOf(text)).toEqual(JSON.parse(text));
        expect(valuesOf(text).at(-1)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['12', '-0.5e3', 'true', 'false', 'null'])(
    'is the whole value of a top-level %s as well',
    (text) => {
      expect(valueOf(text)).toEqual(JSON.parse(text));
    },
  );

  it('only grows towards the whole value', () => {
    fc.assert(
      fc.property(structured, (text) => {
        const whole: unknown = JSON.parse(text);
        for (const value of valuesOf(text)) {
          if (value !== undefined) expect(growsInto(value, whole)).toBe(true);
        }
      }),
    );
  });

  it('does not depend on the boundaries of the chunks', () => {
    fc.assert(
      fc.property(structured, fc.nat(), (text, at) => {
        const cut = at % (text.length + 1);
        expect(valueOf(text.slice(0, cut), text.slice(cut))).toEqual(valueOf(text));
      }),
    );
  });

  it('contains the received part of a text', () => {
    expect(valueOf('"Hel')).toBe('Hel');
    expect(valueOf('{"a":["x","y')).toEqual({ a: ['x', 'y'] });
    expect(valueOf('{"a":"')).toEqual({ a: '' });
  });

  it('omits an incomplete escape', () => {
    expect(valueOf('"a\\')).toBe('a');
    expect(valueOf('"a\\u00e')).toBe('a');
    expect(valueOf('"a\\u00e9')).toBe('aé');
    expect(valueOf('"a\\\\')).toBe('a\\');
    expect(valueOf('"a\\\\u')).toBe('a\\u');
    expect(valueOf('"a\\"')).toBe('a"');
  });

  it('contains numbers, literals and keys once they are complete', () => {
    expect(valueOf('[1, 2')).toEqual([1]);
    expect(valueOf('[1, 2,')).toEqual([1, 2]);
    expect(valueOf('{"a": tru')).toEqual({});
    expect(valueOf('{"a": true ')).toEqual({ a: true });
    expect(valueOf('{"a":1,"b')).toEqual({ a: 1 });
    expect(valueOf('{"a":1,"b":')).toEqual({ a: 1 });
  });

  it('is `undefined` before it begins', () => {
    expect(valueOf()).toBeUndefined();
    expect(valueOf(' \n')).toBeUndefined();
  });
});
