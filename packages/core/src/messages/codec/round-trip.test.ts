import { describe, expect, it } from 'vitest';
import { readWith } from '../../../test/support/read-with.ts';
import { untyped } from '../../../test/support/untyped.ts';
import type { UserContent } from '../content.ts';
import type { JsonObject } from '../../internal/json.ts';
import { type Message, trust } from '../message.ts';
import type { RequestPart } from '../request-part.ts';
import type { ResponsePart } from '../response-part.ts';
import { messageCodec } from './index.ts';

const hello: Message = { kind: 'request', parts: [{ kind: 'user-prompt', content: 'Hello' }] };

describe('document of messages', () => {
  it('contains its type and version', () => {
    expect(messageCodec.toJSON([hello])).toEqual({
      holdpoint: 'messages',
      version: messageCodec.version,
      messages: [hello],
    });
    expect(JSON.parse(messageCodec.stringify([hello]))).toEqual(messageCodec.toJSON([hello]));
  });

  it.each([
    ['the text', messageCodec.stringify([hello])],
    ['the document', messageCodec.toJSON([hello])],
    ['an array of messages', [hello]],
    ['an array of messages as text', JSON.stringify([hello])],
  ])('loads from %s', (_, input) => {
    expect(readWith(messageCodec, input)).toEqual([hello]);
  });

  it('may be empty', () => {
    expect(messageCodec.parse(messageCodec.stringify([]))).toEqual([]);
  });

  it('may have unknown members', () => {
    expect(messageCodec.fromJSON({ ...messageCodec.toJSON([hello]), savedBy: 'ada' })).toEqual([
      hello,
    ]);
  });

  it('is not written for messages that cannot be loaded again', () => {
    const broken: Message = { kind: 'response', parts: [], usage: { inputTokens: Number.NaN } };

    expect(() => messageCodec.stringify([broken])).toThrow(
      'messages[0].usage.inputTokens: Expected a finite number, found NaN.',
    );
    // A message that a run froze may come from a model that sent unusual values.
    expect(() => messageCodec.stringify(trust([Object.freeze(broken)]))).toThrow(
      'messages[0].usage.inputTokens: Expected a finite number, found NaN.',
    );
  });

  it('is the same for frozen messages and for others', () => {
    expect(messageCodec.stringify(messageCodec.fromJSON([hello]))).toBe(
      messageCodec.stringify([hello]),
    );
  });
});

describe('part of a request after a round trip', () => {
  const timestamp = '2026-11-15T09:00:00.000Z';
  const parts: RequestPart[] = [
    { kind: 'system-prompt', content: 'Be brief.', dynamicRef: 'rules', timestamp },
    { kind: 'user-prompt', content: 'Hello', timestamp },
    { kind: 'user-prompt', content: [] },
    {
      kind: 'tool-return',
      toolName: 'read',
      toolCallId: 'call-1',
      content: { lines: [null, { kind: 'unheard-of' }] },
      outcome: 'denied',
      metadata: null,
      toolKind: 'tool-search',
      timestamp,
    },
    { kind: 'retry-prompt', content: 'Again.', toolName: 'read', toolCallId: 'call-1', timestamp },
    {
      kind: 'retry-prompt',
      content: [{ type: 'missing', path: ['a', 0], message: 'Required', input: null }],
    },
    { kind: 'tool-availability-delta', toolsAdded: ['read'], toolCallId: 'call-1' },
    {
      kind: 'speech',
      speaker: 'user',
      transcript: 'Hello',
      audio: { kind: 'binary', data: 'aGk=', mediaType: 'audio/wav' },
      id: 'item-1',
    },
  ];

  it.each(parts)('$kind', (part) => {
    expect(reload({ kind: 'request', parts: [part] })).toEqual({ kind: 'request', parts: [part] });
  });
});

describe('part of a response after a round trip', () => {
  const provider = { id: 'item-1', providerName: 'openai', providerDetails: { a: { b: [1] } } };
  const call = { toolName: 'read', toolCallId: 'call-1', ...provider };
  const parts: ResponsePart[] = [
    { kind: 'text', content: 'Hello', ...provider },
    { kind: 'thinking', content: 'Hm', signature: 'seal', ...provider },
    { kind: 'tool-call', args: { path: '.env' }, toolKind: 'capability-load', ...call },
    { kind: 'tool-call', args: '{"path": ', ...call },
    { kind: 'tool-call', args: null, ...call },
    { kind: 'native-tool-call', args: {}, ...call },
    {
      kind: 'native-tool-return',
      toolName: 'search',
      toolCallId: 'call-1',
      content: [],
      outcome: 'failed',
      metadata: [1],
      toolKind: 'tool-search',
      timestamp: '2026-11-15T09:00:00+01:00',
      providerName: 'openai',
      providerDetails: {},
    },
    {
      kind: 'file',
      content: { kind: 'binary', data: 'aGk=', mediaType: 'text/plain' },
      ...provider,
    },
    { kind: 'compaction', content: 'They greeted each other.', ...provider },
    { kind: 'compaction' },
    { kind: 'speech', speaker: 'assistant', transcript: 'He', interruptedAtMs: 420, ...provider },
  ];

  it.each(parts)('$kind', (part) => {
    expect(reload({ kind: 'response', parts: [part] })).toEqual({
      kind: 'response',
      parts: [part],
    });
  });
});

describe('item of a user prompt after a round trip', () => {
  const file = { identifier: 'a', vendorMetadata: { detail: 'low' } };
  const url = { url: 'https://example.com/a', mediaType: 'a/b', ...file };
  const items: Exclude<UserContent, string>[] = [
    { kind: 'text-content', content: 'Hello', metadata: null },
    { kind: 'image-url', forceDownload: true, ...url },
    { kind: 'audio-url', forceDownload: false, ...url },
    { kind: 'video-url', forceDownload: 'allow-local', ...url },
    { kind: 'document-url', ...url },
    { kind: 'binary', data: 'aGk=', mediaType: 'text/plain', ...file },
    { kind: 'binary', data: 'a-_b', mediaType: 'text/plain' },
    { kind: 'uploaded-file', fileId: 'f', providerName: 'openai', mediaType: 'a/b', ...file },
    { kind: 'cache-point', ttl: '1h' },
    { kind: 'cache-point' },
  ];

  it.each(items)('$kind', (item) => {
    const message: Message = {
      kind: 'request',
      parts: [{ kind: 'user-prompt', content: ['x', item] }],
    };

    expect(reload(message)).toEqual(message);
  });
});

describe('a loaded message', () => {
  it('preserves unknown members at every level', () => {
    const later = { later: { a: [null, 1] } };
    const message = {
      kind: 'response',
      parts: [
        { kind: 'text', content: 'Hello', ...later },
        { kind: 'file', content: { kind: 'binary', data: '', mediaType: 'a/b', ...later } },
      ],
      usage: { inputTokens: 1, ...later },
      ...later,
    };

    expect(messageCodec.fromJSON([message])).toEqual([message]);
  });

  it('preserves the order of members, so that the text stays the same', () => {
    const text = '[{"runId":"run-1","parts":[{"content":"Hi","kind":"text"}],"kind":"response"}]';

    expect(JSON.stringify(messageCodec.parse(text))).toBe(text);
  });

  it('omits members that are undefined', () => {
    const message: Message = {
      kind: 'request',
      parts: [{ kind: 'user-prompt', content: 'Hello', timestamp: undefined }],
      runId: undefined,
      metadata: untyped<JsonObject>({ a: 1, b: undefined }),
    };

    expect(JSON.stringify(messageCodec.fromJSON([message]))).toBe(JSON.stringify([message]));
    expect(Object.keys(messageCodec.fromJSON([message])[0] ?? {})).toEqual([
      'kind',
      'parts',
      'metadata',
    ]);
  });

  it('is deeply frozen, and the original is not', () => {
    const metadata = { tags: ['a'] };
    const original: Message = { kind: 'request', parts: [], metadata };

    const [loaded] = messageCodec.fromJSON([original]);

    expect(loaded?.metadata).toEqual(metadata);
    expect(loaded?.metadata).not.toBe(metadata);
    expect(Object.isFrozen(loaded?.metadata?.['tags'])).toBe(true);
    expect(Object.isFrozen(original) || Object.isFrozen(metadata.tags)).toBe(false);
  });
});

function reload(message: Message): Message | undefined {
  return messageCodec.parse(messageCodec.stringify([message]))[0];
}
