import { describe, expect, it } from 'vitest';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { messageCodec } from '../../messages/codec/index.ts';
import { pydanticMessageCodec } from './index.ts';

/** The text of a history with these arguments in it. */
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

describe('the text of a document', () => {
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
  ])('does not keep how a number is written: %s', (args, expected) => {
    expect(rewritten(args)).toBe(expected);
  });

  it('has integers as bigint only where a number cannot hold them', () => {
    expect(argsOf(withArgs('{"a":9007199254740993,"b":9007199254740992}'))).toEqual({
      a: 9007199254740993n,
      b: 9007199254740992,
    });
  });

  it('loses no digit where the other codec would: that one refuses', () => {
    const messages = pydanticMessageCodec.parse(withArgs('{"id":9007199254740993}'));

    expect(() => messageCodec.stringify(messages)).toThrow('messages[0].parts[0].args.id');
  });

  it.each(['', '[', '[{"kind":"request","parts":[]}', 'NaN', '[1e999]', '\u0000'])(
    'is refused if it is no JSON: %j',
    (text) => {
      expect(() => pydanticMessageCodec.parse(text)).toThrow(InvalidJsonError);
      expect(() => pydanticMessageCodec.parse(text)).toThrow(InvalidJsonError);
    },
  );

  it('is refused if it is nested without end', () => {
    const deep = `${'['.repeat(100_000)}1234567890123456789${']'.repeat(100_000)}`;

    expect(() => pydanticMessageCodec.parse(withArgs(`{"a":${deep}}`))).toThrow(InvalidJsonError);
  });
});
