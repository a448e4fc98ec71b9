import { describe, expect, it } from 'vitest';
import type { UserPrompt } from '../../messages/content.ts';
import type { ToolReturnPart } from '../../messages/request-part.ts';
import { v3Files, v4Files } from './to-file.ts';
import { PromptConverter } from './to-prompt.ts';
import {
  format,
  convert,
  request,
  said,
  text,
  returned,
} from '../../../test/support/prompt-conversion.ts';

describe('user content', () => {
  const items = (prompt: UserPrompt, files = v4Files) =>
    new PromptConverter(format(files)).toPrompt([said(prompt)], undefined)[0]?.content;

  it('contains text and files in order, without empty text', () => {
    const prompt: UserPrompt = [
      'Look at',
      '',
      { kind: 'text-content', content: 'this:', metadata: { shown: false } },
      { kind: 'image-url', url: 'https://a.test/cat.png?size=2' },
      { kind: 'binary', data: 'AA-_', mediaType: 'audio/wav', identifier: 'song' },
    ];

    expect(items(prompt)).toEqual([
      text('Look at'),
      text('this:'),
      {
        type: 'file',
        mediaType: 'image/png',
        data: { type: 'url', url: new URL('https://a.test/cat.png?size=2') },
      },
      {
        type: 'file',
        mediaType: 'audio/wav',
        filename: 'song',
        data: { type: 'data', data: 'AA+/' },
      },
    ]);
  });

  it.each([
    ['image-url', 'https://a.test/x', 'image/*'],
    ['audio-url', 'https://a.test/x.MP3', 'audio/mpeg'],
    ['video-url', 'https://a.test/x.constructor', 'video/*'],
    ['document-url', 'https://a.test/', 'application/pdf'],
  ] as const)('has a media type for %s %s', (kind, url, mediaType) => {
    expect(items([{ kind, url }])).toMatchObject([{ mediaType }]);
  });

  it('contains the data of a data URL', () => {
    expect(items([{ kind: 'image-url', url: 'data:image/gif;base64,R0lG' }])).toEqual([
      { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: 'R0lG' } },
    ]);
  });

  it('is rejected with an invalid address', () => {
    expect(() => items([{ kind: 'image-url', url: 'cat.png' }])).toThrow(
      /`cat.png` of a file in the messages is not a URL/,
    );
  });

  it('references uploaded files by their provider', () => {
    const file = { kind: 'uploaded-file', fileId: 'file-1', providerName: 'openai' } as const;

    expect(items([file])).toMatchObject([
      { data: { type: 'reference', reference: { openai: 'file-1' } } },
    ]);
    expect(items([file], v3Files)).toMatchObject([{ data: 'file-1' }]);
  });

  it('contains plain file data in v3', () => {
    const url = 'https://a.test/x.pdf';

    expect(items([{ kind: 'document-url', url }], v3Files)).toEqual([
      { type: 'file', mediaType: 'application/pdf', data: new URL(url) },
    ]);
    expect(items([{ kind: 'binary', data: 'AAAA', mediaType: 'image/png' }], v3Files)).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    ]);
  });

  it('contains the provider options of a file', () => {
    const vendorMetadata = { openai: { imageDetail: 'low' }, detail: 'low' };

    expect(items([{ kind: 'image-url', url: 'https://a.test/x', vendorMetadata }])).toMatchObject([
      { providerOptions: { openai: { imageDetail: 'low' } } },
    ]);
  });

  it('is cached up to a cache point', () => {
    expect(items(['Long.', { kind: 'cache-point', ttl: '1h' }, 'Short.'])).toEqual([
      {
        ...text('Long.'),
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } },
      },
      text('Short.'),
    ]);
    expect(items([{ kind: 'cache-point' }, 'Short.'])).toEqual([text('Short.')]);
  });

  it('names tools that became available', () => {
    const part = { kind: 'tool-availability-delta', toolsAdded: ['a', 'b'] } as const;

    expect(convert([request(part)])).toEqual([
      { role: 'user', content: [text('You can use these tools from now on: a, b.')] },
    ]);
  });

  it('contains the transcript of speech, or its audio', () => {
    const audio = { kind: 'binary', data: 'AAAA', mediaType: 'audio/wav' } as const;
    const speech = { kind: 'speech', speaker: 'user' } as const;

    expect(
      convert([request({ ...speech, transcript: 'Hello', audio }, { ...speech, audio }, speech)]),
    ).toEqual([{ role: 'user', content: [text('Hello'), v4Files.item(audio)] }]);
  });
});

describe('tool results', () => {
  const output = (fields: Partial<ToolReturnPart>, files = v4Files) => {
    const messages = [request(returned(fields))];
    return new PromptConverter(format(files)).toPrompt(messages, undefined)[0]?.content;
  };

  it.each([
    [{ content: 'sunny' }, { type: 'text', value: 'sunny' }],
    [{ content: { degrees: 3 } }, { type: 'json', value: { degrees: 3 } }],
    [{ content: null }, { type: 'json', value: null }],
    [
      { outcome: 'failed', content: 'no network' },
      { type: 'error-text', value: 'no network' },
    ],
    [
      { outcome: 'failed', content: { code: 5 } },
      { type: 'error-json', value: { code: 5 } },
    ],
    [
      { outcome: 'denied', content: 'No.' },
      { type: 'execution-denied', reason: 'No.' },
    ],
    [
      { outcome: 'interrupted', content: 'Stopped.' },
      { type: 'error-text', value: 'Stopped.' },
    ],
    [
      { outcome: 'expired', content: 'Nobody was there.' },
      { type: 'error-text', value: 'Nobody was there.' },
    ],
    [
      { outcome: 'superseded', content: 'A new message.' },
      { type: 'error-text', value: 'A new message.' },
    ],
  ] as const)('%j become %j', (fields, expected) => {
    expect(output(fields)).toEqual([
      { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: expected },
    ]);
  });

  const image = { kind: 'binary', data: 'AAAA', mediaType: 'image/png' } as const;
  const page = { kind: 'document-url', url: 'https://a.test/a.pdf', identifier: 'page' } as const;

  it('contain files and text', () => {
    const content = ['Here:', image, { about: page, pages: 2 }];

    expect(output({ content })).toMatchObject([
      {
        output: {
          type: 'content',
          value: [
            text('Here:'),
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
            text('{"about":"see page","pages":2}'),
            { type: 'file', mediaType: 'application/pdf', filename: 'page' },
          ],
        },
      },
    ]);
  });

  it('have separate types of files in v3', () => {
    const upload = { kind: 'uploaded-file', fileId: 'f', providerName: 'openai' } as const;
    const content = [image, { ...image, mediaType: 'audio/wav' }, page, upload];

    expect(output({ content }, v3Files)).toMatchObject([
      {
        output: {
          value: [
            { type: 'image-data', data: 'AAAA', mediaType: 'image/png' },
            { type: 'file-data', data: 'AAAA', mediaType: 'audio/wav' },
            { type: 'file-url', url: 'https://a.test/a.pdf' },
            { type: 'file-id', fileId: { openai: 'f' } },
          ],
        },
      },
    ]);
  });

  it('directly follow the calls, before user content', () => {
    const messages = [
      request(
        returned({ content: 'one' }),
        { kind: 'user-prompt', content: 'And?' },
        returned({ toolCallId: 'c2', content: 'two' }),
      ),
    ];

    expect(convert(messages)).toMatchObject([
      { role: 'tool', content: [{ toolCallId: 'c1' }, { toolCallId: 'c2' }] },
      { role: 'user', content: [text('And?')] },
    ]);
  });

  it('contain retry prompts of tools and of the run', () => {
    const tool = { toolName: 'look', toolCallId: 'c1' };
    const value = 'Too far.\n\nPlease correct this and try again.';

    expect(convert([request({ kind: 'retry-prompt', content: 'Too far.', ...tool })])).toEqual([
      {
        role: 'tool',
        content: [{ type: 'tool-result', ...tool, output: { type: 'error-text', value } }],
      },
    ]);
    expect(convert([request({ kind: 'retry-prompt', content: 'Too far.' })])).toEqual([
      { role: 'user', content: [text(`Your response cannot be used:\n${value}`)] },
    ]);
  });
});
