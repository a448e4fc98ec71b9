import { describe, expect, it } from 'vitest';
import type { Message } from '../message.ts';
import { JsonPath, messageCodec, toolCallFormat } from './index.ts';

const frozen: Message = Object.freeze({
  kind: 'request',
  parts: Object.freeze([Object.freeze({ kind: 'user-prompt', content: 'Hello' })]),
  metadata: Object.freeze({ app: Object.freeze({ tenant: 'a' }) }),
});

describe('writing messages', () => {
  it('uses frozen messages without a copy', () => {
    expect(messageCodec.toJSON(Object.freeze([frozen])).messages[0]).toBe(frozen);
  });

  it('copies messages that are not deeply frozen', () => {
    const parts = [{ kind: 'user-prompt' as const, content: 'Hello' }];
    const message: Message = Object.freeze({ ...frozen, parts });

    const [written] = messageCodec.toJSON([message]).messages;
    parts.pop();

    expect(written).toEqual(frozen);
    expect(Object.isFrozen(written?.parts)).toBe(true);
  });

  it('omits members that are undefined', () => {
    const message: Message = Object.freeze({ ...frozen, runId: undefined });

    const [written] = messageCodec.toJSON([message]).messages;

    expect(Object.keys(written ?? {})).toEqual(['kind', 'parts', 'metadata']);
  });

  it('rejects messages that cannot be loaded again, frozen or not', () => {
    const write = (part: object) => () =>
      messageCodec.toJSON([
        Object.freeze({ ...frozen, parts: Object.freeze([part]) }) as unknown as Message,
      ]);

    expect(write(Object.freeze({ kind: 'user-prompt' }))).toThrow('messages[0].parts[0].content');
    expect(write(Object.freeze({ kind: 'text', content: 'Hi' }))).toThrow('parts[0].kind');
    expect(write({ kind: 'user-prompt', content: 1 })).toThrow('messages[0].parts[0].content');
    const metadata = Object.freeze({ price: Number.POSITIVE_INFINITY });
    expect(() => messageCodec.toJSON([Object.freeze({ ...frozen, metadata })])).toThrow(
      'messages[0].metadata.price',
    );
  });

  it('rejects a part whose kind differs from its format', () => {
    const text = Object.freeze({ kind: 'text', content: 'Hi' }) as never;

    expect(() => toolCallFormat.write(text, JsonPath.root)).toThrow('kind: Expected "tool-call"');
  });
});
