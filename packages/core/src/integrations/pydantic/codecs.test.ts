import { describe, expect, it } from 'vitest';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { messageCodec } from '../../messages/codec/index.ts';
import { pydanticMessageCodec } from './index.ts';

/** Returns the text of a history with a call with these arguments. */
const withArgs = (args: string) =>
  `[{"kind":"response","parts":[{"part_kind":"tool-call","tool_name":"t","tool_call_id":"1","args":${args}}]}]`;

const argsOf = (text: string) => {
  const part = pydanticMessageCodec.parse(text)[0]?.parts[0];
  return part?.kind === 'tool-call' ? part.args : undefined;
};

const rewritten = (args: string) => {
  const text = pydanticMessageCodec.stringify(pydanticMessageCodec.parse(withArgs(args)));
  return /"args":([^]*?),"tool_call_id"/.exec(text)?.[1];
};

describe('text of a document of Pydantic AI', () => {
  it.each([
    '{"id":9007199254740993}',
    '{"__proto__":9007199254740993,"a":{"__proto__":[]}}',
    '{"id":-9007199254740993}',
    '{"id":12345678901234567890}',
    '{"id":18446744073709551616}',
    '{"id":9007199254740991}',
    '{"list":[1,0.5,1e+21,5e-324,-0.0]}',
    '{"__proto__":1,"constructor":{"__proto__":[]}}',
    '{"":"empty","\\u2028":"\\"\\\\\\u0000"}',
    '"{\\"raw\\": 9007199254740993, }"',
    '""',
    'null',
  ])('keeps %s', (args) => {
    expect(JSON.parse(rewritten(args) ?? '')).toEqual(JSON.parse(args));
    if (!args.includes('\\u')) expect(rewritten(args)).toBe(args);
  });

  it.each([
    ['{"a":1.0}', '{"a":1}'],
    ['{"a":1E5}', '{"a":100000}'],
    ['{"a":-0}', '{"a":-0.0}'],
    ['{"a":0.1234567890123456789}', '{"a":0.12345678901234568}'],
    ['{"a":1,"a":2}', '{"a":2}'],
  ])('normalizes numbers: %s', (args, expected) => {
    expect(rewritten(args)).toBe(expected);
  });

  it('contains a bigint only for an integer that a number cannot represent', () => {
    expect(argsOf(withArgs('{"a":9007199254740993,"b":9007199254740992}'))).toEqual({
      a: 9007199254740993n,
      b: 9007199254740992,
    });
  });

  it('contains integers that the other codec rejects', () => {
    const messages = pydanticMessageCodec.parse(withArgs('{"id":9007199254740993}'));

    expect(() => messageCodec.stringify(messages)).toThrow('messages[0].parts[0].args.id');
  });

  it.each(['', '[', '[{"kind":"request","parts":[]}', 'NaN', '[1e999]', '\u0000'])(
    'is rejected if it is not JSON: %j',
    (text) => {
      expect(() => pydanticMessageCodec.parse(text)).toThrow(InvalidJsonError);
      expect(() => pydanticMessageCodec.parse(text)).toThrow(InvalidJsonError);
    },
  );

  it('is rejected if it is nested too deeply', () => {
    const deep = `${'['.repeat(100_000)}1234567890123456789${']'.repeat(100_000)}`;

    expect(() => pydanticMessageCodec.parse(withArgs(`{"a":${deep}}`))).toThrow(InvalidJsonError);
  });
});
