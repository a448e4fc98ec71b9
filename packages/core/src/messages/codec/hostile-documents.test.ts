import { describe, expect, it } from 'vitest';
import { readWith } from '../../../test/support/read-with.ts';
import { catchError } from '../../../test/support/outcomes.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import type { JsonObject } from '../../internal/json.ts';
import { messageCodec } from './index.ts';

const withMetadata = (metadata: string) => `[{"kind":"request","parts":[],"metadata":${metadata}}]`;
const nested = (levels: number) => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);

describe('members that were added to the prototype of all objects', () => {
  const call = { kind: 'tool-call', toolName: 'pay', toolCallId: 'a', args: '{}' };
  const { args: _, ...withoutArgs } = call;
  const stored = (part: object) => JSON.stringify([{ kind: 'response', parts: [part] }]);

  function whileAllHave<Result>(name: string, value: unknown, work: () => Result): Result {
    const member = { value, enumerable: true, configurable: true };
    Reflect.defineProperty(Object.prototype, name, member);
    try {
      return work();
    } finally {
      Reflect.deleteProperty(Object.prototype, name);
    }
  }

  it.each([
    ['in a text', stored],
    ['in an object', (part: object) => JSON.parse(stored(part)) as unknown],
  ])('are not read as %s', (_where, document) => {
    const input = document(call);
    const messages = whileAllHave('admin', Number.NaN, () => readWith(messageCodec, input));

    expect(messageCodec.stringify(messages)).toBe(
      messageCodec.stringify(messageCodec.parse(stored(call))),
    );
  });

  it.each([
    ['in a text', stored],
    ['in an object', (part: object) => JSON.parse(stored(part)) as unknown],
  ])('do not replace missing members %s', (_where, document) => {
    const input = document({ ...withoutArgs, id: '1' });

    const error = whileAllHave('args', '{}', () => catchError(() => readWith(messageCodec, input)));

    expect(String(error)).toContain('messages[0].parts[0].args');
  });
});

describe('tool call that looks valid at its start', () => {
  const call = '"kind":"tool-call","toolName":"pay","toolCallId":"a","args":"{}"';
  const stored = (members: string) => `[{"kind":"response","parts":[{${members}}]}]`;

  it.each([
    ['a member that is no JSON', `${call},"providerDetails":{"a":1e999}`, 'providerDetails.a'],
    ['a member of the wrong kind', `${call},"toolKind":"other"`, 'toolKind'],
    ['a member that must not be null', `${call},"id":null`, 'id'],
    ['a name that is no text', call.replace('"pay"', '1'), 'toolName'],
    ['arguments that are a list', call.replace('"{}"', '[]'), 'args'],
  ])('is validated to its end: %s', (_, members, location) => {
    const error = catchError(() => messageCodec.parse(stored(members)));

    expect(error).toBeInstanceOf(InvalidJsonError);
    expect(String(error)).toContain(`messages[0].parts[0].${location}`);
  });

  it('preserves unknown members', () => {
    const text = stored(`${call},"later":{"a":[1]}`);

    const messages = messageCodec.parse(text);

    expect(JSON.stringify(messages)).toBe(text);
    const later: unknown = Object.values(messages[0]?.parts[0] ?? {}).at(-1);
    expect(later).toEqual({ a: [1] });
    expect(Object.isFrozen(later)).toBe(true);
  });
});

describe('names that are special to JavaScript', () => {
  it('are ordinary own members in free-form JSON', () => {
    const text = withMetadata('{"__proto__":{"admin":true},"constructor":1,"toString":null}');

    const messages = messageCodec.parse(text);

    const metadata: JsonObject = messages[0]?.metadata ?? {};
    expect(Object.keys(metadata)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(metadata['admin']).toBeUndefined();
    expect(JSON.stringify(messages)).toBe(text);
    expect(JSON.stringify(messageCodec.parse(messageCodec.stringify(messages)))).toBe(text);
  });

  it.each([
    ['a message', '[{"kind":"request","parts":[],"__proto__":{"runId":"r"}}]'],
    ['a part', '[{"kind":"response","parts":[{"kind":"text","content":"x","__proto__":[]}]}]'],
    ['usage', '[{"kind":"response","parts":[],"usage":{"__proto__":{"inputTokens":-1}}}]'],
    [
      'the figures of usage',
      '[{"kind":"response","parts":[],"usage":{"details":{"__proto__":1}}}]',
    ],
  ])('are preserved as own members of %s', (_, text) => {
    const messages = messageCodec.parse(text);

    expect(JSON.stringify(messages)).toBe(text);
    expect(messages[0]).not.toHaveProperty('runId');
    expect(messages[0]).not.toHaveProperty('usage.inputTokens');
  });

  it('do not replace missing members', () => {
    const text = '[{"kind":"request","__proto__":{"parts":[]}}]';

    expect(() => messageCodec.parse(text)).toThrow(
      'messages[0].parts: Expected an array, found nothing.',
    );
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'are not interpreted as kinds: %s',
    (kind) => {
      expect(() => messageCodec.fromJSON([{ kind, parts: [] }])).toThrow(InvalidJsonError);
    },
  );
});

describe('nesting', () => {
  const tooDeep =
    'messages[0].metadata: Expected at most 200 levels of nesting, found more, ' +
    'or a value that contains itself.';

  it('may be 200 levels deep in free-form JSON', () => {
    const text = withMetadata(nested(200));

    expect(JSON.stringify(messageCodec.parse(text))).toBe(text);
    expect(() => messageCodec.parse(withMetadata(nested(201)))).toThrow(tooDeep);
  });

  it('is rejected early if it is a hundred thousand levels deep', () => {
    expect(() => messageCodec.parse(withMetadata(nested(100_000)))).toThrow(tooDeep);
    expect(() => messageCodec.parse('['.repeat(100_000) + ']'.repeat(100_000))).toThrow(
      InvalidJsonError,
    );
  });

  it('is rejected for values that contain themselves', () => {
    const metadata: Record<string, unknown> = {};
    metadata['self'] = [metadata];
    const message = { kind: 'request', parts: [] as unknown[] };
    message.parts.push(message);

    expect(() => messageCodec.fromJSON([{ kind: 'request', parts: [], metadata }])).toThrow(
      tooDeep,
    );
    expect(() => messageCodec.fromJSON([message])).toThrow(InvalidJsonError);
  });
});

describe('values that are out of bounds', () => {
  it('does not repeat long texts in the error', () => {
    const long = 'x'.repeat(1_000_000);

    for (const message of [
      { kind: long },
      { kind: 'request', parts: long },
      { kind: 'request', parts: [], [long]: Number.NaN },
      { kind: 'request', parts: [], timestamp: long },
    ]) {
      const error = catchError(() => messageCodec.fromJSON([message]));

      expect(error).toBeInstanceOf(InvalidJsonError);
      expect(error?.message.length).toBeLessThan(300);
    }
  });

  it('accepts long texts unchanged', () => {
    const data = 'abcd'.repeat(1_000_000);
    const content = { kind: 'binary', data, mediaType: 'image/png' };

    expect(
      messageCodec.fromJSON([{ kind: 'response', parts: [{ kind: 'file', content }] }]),
    ).toEqual([{ kind: 'response', parts: [{ kind: 'file', content }] }]);
  });

  it('rejects numbers that are too large for a number', () => {
    expect(() => messageCodec.parse(withMetadata('{"a":1e999}'))).toThrow(
      'messages[0].metadata.a: Expected a finite number, found Infinity.',
    );
  });

  it('rejects holes in arrays', () => {
    const parts: unknown[] = [];
    parts.length = 3;

    expect(() => messageCodec.fromJSON([{ kind: 'request', parts }])).toThrow(
      'messages[0].parts[0]: Expected an object, found nothing.',
    );
  });

  it('rejects objects that are not plain data', () => {
    class Impostor {
      readonly kind = 'request';
      readonly parts = [];
    }

    expect(() => messageCodec.fromJSON([new Impostor()])).toThrow(
      'messages[0]: Expected an object, found an instance of a class.',
    );
  });
});
