import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readWith } from '../../../test/support/read-with.ts';
import { untyped } from '../../../test/support/untyped.ts';
import { messageCodec } from '../../messages/codec/index.ts';
import type { JsonValue } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import { pydanticMessageCodec } from './index.ts';

/** A history with one request of one part. */
const historyWith = (part: RequestPart, timestamp?: string): Message[] => [
  { kind: 'request', parts: [part], timestamp },
];

const firstPart = (messages: readonly Message[]) => {
  const [message] = pydanticMessageCodec.toJSON(messages);
  return (message?.['parts'] as unknown[] | undefined)?.[0];
};

describe('messages for Pydantic AI', () => {
  it('keep every kind of part in a round trip', () => {
    const file = new URL('../../../test/fixtures/messages-v1.json', import.meta.url);
    // Pydantic AI requires a certain shape of the parts of some tools. The fixture does not have
    // it.
    const stored = JSON.parse(readFileSync(file, 'utf8'), (name, value: unknown) =>
      name === 'toolKind' ? undefined : value,
    );
    const messages = messageCodec.fromJSON(stored);

    const document = pydanticMessageCodec.toJSON(messages);
    const back = pydanticMessageCodec.fromJSON(document);

    expect(pydanticMessageCodec.toJSON(back)).toStrictEqual(document);
    expect(back.map(({ kind, parts }) => [kind, parts.map((part) => part.kind)])).toEqual(
      messages.map(({ kind, parts }) => [kind, parts.map((part) => part.kind)]),
    );
    expect(back.map(({ metadata }) => metadata)).toEqual(messages.map(({ metadata }) => metadata));
  });

  it.each<[JsonValue | undefined, JsonValue]>([
    [undefined, { holdpoint: { outcome: 'expired' } }],
    [{ by: 'ada' }, { by: 'ada', holdpoint: { outcome: 'expired' } }],
    [{}, { holdpoint: { outcome: 'expired', metadata: {} } }],
    ['a note', { holdpoint: { outcome: 'expired', metadata: 'a note' } }],
    [{ holdpoint: 1 }, { holdpoint: { outcome: 'expired', metadata: { holdpoint: 1 } } }],
  ])('keep an outcome that Pydantic AI does not have, beside metadata: %j', (own, metadata) => {
    const part: RequestPart = {
      kind: 'tool-return',
      toolName: 't',
      toolCallId: '1',
      content: 'No decision in time.',
      outcome: 'expired',
      ...(own !== undefined && { metadata: own }),
    };

    const written = firstPart(historyWith(part));

    expect(written).toMatchObject({ part_kind: 'tool-return', outcome: 'interrupted', metadata });
    expect(
      pydanticMessageCodec.fromJSON(pydanticMessageCodec.toJSON(historyWith(part)))[0]?.parts,
    ).toEqual([part]);
  });

  it('keep an interrupted result with unrelated metadata', () => {
    const part: RequestPart = {
      kind: 'tool-return',
      toolName: 't',
      toolCallId: '1',
      content: '',
      outcome: 'interrupted',
      metadata: { holdpoint: { outcome: 'forgotten' } },
    };

    expect(
      pydanticMessageCodec.fromJSON(pydanticMessageCodec.toJSON(historyWith(part)))[0]?.parts,
    ).toEqual([part]);
  });

  it('contain their timestamp in parts without one', () => {
    const part: RequestPart = { kind: 'user-prompt', content: 'Hi' };

    expect(firstPart(historyWith(part, '2026-11-15T09:00:00.000Z'))).toStrictEqual({
      part_kind: 'user-prompt',
      content: 'Hi',
      timestamp: '2026-11-15T09:00:00Z',
    });
    expect(firstPart(historyWith(part))).not.toHaveProperty('timestamp');
  });

  it.each<[RequestPart, string]>([
    [
      { kind: 'user-prompt', content: [{ kind: 'image-url', url: 'https://example.com/a' }] },
      'messages[0].parts[0].content[0].mediaType',
    ],
    [
      {
        kind: 'tool-return',
        toolName: 't',
        toolCallId: '1',
        outcome: 'success',
        content: { deep: [{ kind: 'image-url', url: 'https://example.com/a' }] },
      },
      'messages[0].parts[0].content.deep[0].mediaType',
    ],
    [
      {
        kind: 'user-prompt',
        content: [{ kind: 'uploaded-file', fileId: 'f', providerName: 'mistral' }],
      },
      'messages[0].parts[0].content[0].providerName',
    ],
    [
      {
        kind: 'tool-return',
        toolName: 't',
        toolCallId: '1',
        outcome: 'success',
        content: 'x',
        toolKind: 'tool-search',
      },
      'messages[0].parts[0].tool_name',
    ],
    [untyped<RequestPart>({ kind: 'unknown-kind' }), 'messages[0].parts[0].kind'],
  ])('are rejected if Pydantic AI cannot load or store them: %j', (part, path) => {
    expect(() => pydanticMessageCodec.toJSON(historyWith(part))).toThrow(
      expect.objectContaining({ path }),
    );
  });
});

describe('file in a prompt of Pydantic AI', () => {
  it.each([
    { kind: 'image-url', url: 'https://example.com/a.png' },
    { kind: 'image-url', url: 'https://example.com/a.png', media_type: null, identifier: null },
    { kind: 'image-url', url: 'https://example.com/a.png', _media_type: '', _identifier: '' },
  ])('has the media type that the reference derives: %j', (item) => {
    const parts = [{ part_kind: 'user-prompt', content: [item] }];

    expect(firstPart(pydanticMessageCodec.fromJSON([{ kind: 'request', parts }]))).toMatchObject({
      content: [{ ...item, media_type: 'image/png', identifier: 'b86daf' }].map(
        ({ kind, url, media_type, identifier }) => ({ kind, url, media_type, identifier }),
      ),
    });
  });
});

describe('file in a tool result of Pydantic AI', () => {
  const result = (content: unknown) => [
    {
      kind: 'request',
      parts: [{ part_kind: 'tool-return', tool_name: 't', tool_call_id: '1', content }],
    },
  ];
  const contentOf = (document: unknown) => {
    const part = pydanticMessageCodec.fromJSON(document)[0]?.parts[0];
    return part?.kind === 'tool-return' ? part.content : undefined;
  };

  it('becomes a file at any depth', () => {
    const file = { kind: 'binary', data: 'AP8', media_type: 'image/png' };

    expect(contentOf(result({ a: [file] }))).toEqual({
      a: [{ kind: 'binary', data: 'AP8=', mediaType: 'image/png' }],
    });
  });

  it.each([
    { kind: 'binary', label: 1 },
    { kind: 'binary', data: '!!', media_type: 'image/png' },
    { kind: 'image-url', url: 5 },
    { kind: 'uploaded-file', file_id: 'f', provider_name: 'mistral' },
    { kind: 'text-content', content: 'x' },
    { kind: 'sticker', url: 'https://example.com/a.png' },
  ])('stays a plain object if it is not a valid file: %j', (content) => {
    expect(contentOf(result(content))).toEqual(content);
    expect(firstPart(pydanticMessageCodec.fromJSON(result(content)))).toMatchObject({ content });
  });
});

describe('mistake in a document of Pydantic AI', () => {
  const ITEM = 'messages[0].parts[0].content[0]';
  const response = (...parts: unknown[]) => [{ kind: 'response', parts }];
  const usage = (counts: object) => [{ kind: 'response', parts: [], usage: counts }];
  const prompt = (item: object) => [
    { kind: 'request', parts: [{ part_kind: 'user-prompt', content: [item] }] },
  ];

  it.each([
    [{}, 'messages'],
    [[1], 'messages[0]'],
    [[{ parts: [] }], 'messages[0].kind'],
    [
      [{ kind: 'request', parts: [{ part_kind: 'text', content: '' }] }],
      'messages[0].parts[0].part_kind',
    ],
    [[{ kind: 'response', parts: [], usage: null }], 'messages[0].usage'],
    [[{ kind: 'response', parts: [], vendor_id: 1 }], 'messages[0].vendor_id'],
    [
      [{ kind: 'response', parts: [], usage: { details: { a: 1.5 } } }],
      'messages[0].usage.details.a',
    ],
    [response({ part_kind: 'tool-call', tool_name: 't' }), 'messages[0].parts[0].tool_call_id'],
    [
      response({ part_kind: 'tool-call', tool_call_id: '1', tool_kind: 'tool-search', args: {} }),
      'messages[0].parts[0].args.queries',
    ],
    [response({ part_kind: 'speech', speaker: 'user' }), 'messages[0].parts[0].speaker'],
    [prompt({ kind: 'image-url', url: 'a.png', force_download: 'yes' }), `${ITEM}.force_download`],
    [prompt({ kind: 'image-url', url: 'a.png', force_download: 1 }), `${ITEM}.force_download`],
    [prompt({ type: 'text', text: 'Hi' }), `${ITEM}.kind`],
    [usage({ input_tokens: true }), 'messages[0].usage.input_tokens'],
    [usage({ input_tokens: '1_000' }), 'messages[0].usage.input_tokens'],
    [usage({ input_tokens: null }), 'messages[0].usage.input_tokens'],
    [
      '[{"kind":"response","parts":[],"usage":{"input_tokens":9007199254740993}}]',
      'messages[0].usage.input_tokens',
    ],
    ['[{"kind":"response","parts":[],"metadata":{"a":[1e400]}}]', 'messages[0].metadata.a[0]'],
    [
      `[{"kind":"response","parts":[],"metadata":{"a":${'['.repeat(300)}${']'.repeat(300)}}}]`,
      'messages[0].metadata',
    ],
  ])('is rejected with its path: %j', (document, path) => {
    expect(() => readWith(pydanticMessageCodec, document)).toThrow(
      expect.objectContaining({ path }),
    );
  });
});
