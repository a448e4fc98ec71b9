import { describe, expect, it } from 'vitest';
import type { UserPrompt } from '../../messages/content.ts';
import { deepFreeze } from '../../messages/json.ts';
import type { Message } from '../../messages/message.ts';
import type { RequestPart, ToolReturnPart } from '../../messages/request-part.ts';
import type { ResponsePart } from '../../messages/response-part.ts';
import { type FileFormat, v3Files, v4Files } from './to-file.ts';
import { PromptConverter } from './to-prompt.ts';

const format = (files: FileFormat = v4Files) => ({
  files,
  native: { system: 'openai', takesNative: true, search: undefined },
});
const convert = (messages: readonly Message[], instructions?: string) =>
  new PromptConverter(format()).toPrompt(messages, instructions);
const request = (...parts: RequestPart[]): Message => ({ kind: 'request', parts });
const response = (...parts: ResponsePart[]): Message => ({ kind: 'response', parts });
const said = (content: UserPrompt): Message => request({ kind: 'user-prompt', content });
const text = (words: string) => ({ type: 'text', text: words });
const returned = (fields: Partial<ToolReturnPart>): ToolReturnPart => ({
  kind: 'tool-return',
  toolName: 'look',
  toolCallId: 'c1',
  content: null,
  outcome: 'success',
  ...fields,
});

describe('system prompts and instructions', () => {
  it('come first, the instructions last, wherever the prompts stand', () => {
    const messages = [
      request(
        { kind: 'system-prompt', content: 'You are a cook.' },
        { kind: 'user-prompt', content: 'Hello' },
      ),
      response({ kind: 'text', content: 'Hi.' }),
      request(
        { kind: 'system-prompt', content: 'You are a baker.' },
        { kind: 'user-prompt', content: 'Bread?' },
      ),
    ];

    expect(convert(messages, 'Be brief.')).toEqual([
      { role: 'system', content: 'You are a cook.' },
      { role: 'system', content: 'You are a baker.' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [text('Hello')] },
      { role: 'assistant', content: [text('Hi.')] },
      { role: 'user', content: [text('Bread?')] },
    ]);
  });

  it('follow the instructions in force', () => {
    const converter = new PromptConverter(format());
    const messages = [said('Hello')];
    const system = (instructions?: string) =>
      converter
        .toPrompt(messages, instructions)
        .filter(({ role }) => role === 'system')
        .map(({ content }) => content);

    expect(system('One.')).toEqual(['One.']);
    expect(system('Two.')).toEqual(['Two.']);
    expect(system()).toEqual([]);
    expect(system('Three.')).toEqual(['Three.']);
  });
});

describe('what a person says', () => {
  const items = (prompt: UserPrompt, files = v4Files) =>
    new PromptConverter(format(files)).toPrompt([said(prompt)], undefined)[0]?.content;

  it('is text and files, in order; empty text is left out', () => {
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

  it('sends an address that holds the file itself by value', () => {
    expect(items([{ kind: 'image-url', url: 'data:image/gif;base64,R0lG' }])).toEqual([
      { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: 'R0lG' } },
    ]);
  });

  it('names an address that is none', () => {
    expect(() => items([{ kind: 'image-url', url: 'cat.png' }])).toThrow(/"cat.png", is not a URL/);
  });

  it('names uploaded files by their provider', () => {
    const file = { kind: 'uploaded-file', fileId: 'file-1', providerName: 'openai' } as const;

    expect(items([file])).toMatchObject([
      { data: { type: 'reference', reference: { openai: 'file-1' } } },
    ]);
    expect(items([file], v3Files)).toMatchObject([{ data: 'file-1' }]);
  });

  it('holds bare files in v3', () => {
    const url = 'https://a.test/x.pdf';

    expect(items([{ kind: 'document-url', url }], v3Files)).toEqual([
      { type: 'file', mediaType: 'application/pdf', data: new URL(url) },
    ]);
    expect(items([{ kind: 'binary', data: 'AAAA', mediaType: 'image/png' }], v3Files)).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    ]);
  });

  it('passes on what the file says for one provider', () => {
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

  it('includes which tools can be used from now on', () => {
    const part = { kind: 'tool-availability-delta', toolsAdded: ['a', 'b'] } as const;

    expect(convert([request(part)])).toEqual([
      { role: 'user', content: [text('You can use these tools from now on: a, b.')] },
    ]);
  });

  it('includes what was said aloud: in writing, or else as sound', () => {
    const audio = { kind: 'binary', data: 'AAAA', mediaType: 'audio/wav' } as const;
    const speech = { kind: 'speech', speaker: 'user' } as const;

    expect(
      convert([request({ ...speech, transcript: 'Hello', audio }, { ...speech, audio }, speech)]),
    ).toEqual([{ role: 'user', content: [text('Hello'), v4Files.item(audio)] }]);
  });
});

describe('answers of tools', () => {
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
  ] as const)('%j become %j', (fields, expected) => {
    expect(output(fields)).toEqual([
      { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: expected },
    ]);
  });

  const image = { kind: 'binary', data: 'AAAA', mediaType: 'image/png' } as const;
  const page = { kind: 'document-url', url: 'https://a.test/a.pdf', identifier: 'page' } as const;

  it('hold files beside text', () => {
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

  it('hold files of their own kinds in v3', () => {
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

  it('come right after the calls, before what was said', () => {
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

  it('may ask to try again, like the run itself', () => {
    const tool = { toolName: 'look', toolCallId: 'c1' };
    const value = 'Too far.\n\nPlease correct this and try again.';

    expect(convert([request({ kind: 'retry-prompt', content: 'Too far.', ...tool })])).toEqual([
      {
        role: 'tool',
        content: [{ type: 'tool-result', ...tool, output: { type: 'error-text', value } }],
      },
    ]);
    expect(convert([request({ kind: 'retry-prompt', content: 'Too far.' })])).toEqual([
      { role: 'user', content: [text(`Your answer cannot be used:\n${value}`)] },
    ]);
  });
});

describe('what the model answered', () => {
  const items = (...parts: ResponsePart[]) => convert([said('Hello'), response(...parts)])[1];

  it('is text where it was said aloud, or is a summary that can be read', () => {
    const sealed = { openai: { encrypted: 'x' } };

    expect(
      items(
        { kind: 'speech', speaker: 'assistant', transcript: 'Hi', interruptedAtMs: 4 },
        { kind: 'compaction', content: 'They met.' },
        { kind: 'compaction', providerDetails: sealed },
      ),
    ).toEqual({
      role: 'assistant',
      content: [text('Hi\n[Cut short after 4 ms]'), text('They met.')],
    });
  });

  it('goes back with what its provider wants to have back', () => {
    const providerDetails = { openai: { itemId: 'i1' }, note: 'ours' };
    const providerOptions = { openai: { itemId: 'i1' } };
    const call = { toolName: 'search', toolCallId: 'n1' };

    expect(
      items(
        { kind: 'thinking', content: 'Hm.', signature: 's', providerDetails },
        { kind: 'text', content: 'Well,', providerDetails },
        { kind: 'text', content: '' },
        { kind: 'native-tool-call', ...call, args: '{"q":1}', providerDetails },
        { kind: 'native-tool-return', ...call, content: [1], outcome: 'success', providerDetails },
        { kind: 'native-tool-return', ...call, content: 'no', outcome: 'failed' },
        { kind: 'file', content: { kind: 'binary', data: 'AAAA', mediaType: 'image/png' } },
      ),
    ).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions },
        { ...text('Well,'), providerOptions },
        {
          type: 'tool-call',
          toolCallId: 'n1',
          toolName: 'search',
          input: { q: 1 },
          providerExecuted: true,
          providerOptions,
        },
        {
          type: 'tool-result',
          toolCallId: 'n1',
          toolName: 'search',
          output: { type: 'json', value: [1] },
          providerOptions,
        },
        {
          type: 'tool-result',
          toolCallId: 'n1',
          toolName: 'search',
          output: { type: 'error-json', value: 'no' },
        },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      ],
    });
  });

  it.each([
    [{}, { anthropic: { signature: 's' } }],
    [{ providerName: 'bedrock' }, { bedrock: { signature: 's' } }],
    [
      { providerName: 'openai', id: 'rs_1' },
      { openai: { reasoningEncryptedContent: 's', itemId: 'rs_1' } },
    ],
  ])(
    'brings a signature without details where its provider looks: %j',
    (fields, providerOptions) => {
      const thought = { kind: 'thinking', content: 'Hm.', signature: 's', ...fields } as const;

      expect(items(thought)?.content).toEqual([
        { type: 'reasoning', text: 'Hm.', providerOptions },
      ]);
    },
  );

  it.each([
    ['{"a":1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
    [null, {}],
    ['', {}],
    ['{"a":', { invalidArguments: '{"a":' }],
    ['[1]', { invalidArguments: '[1]' }],
  ])('has arguments %j as the object %j', (args, input) => {
    const call = { kind: 'tool-call', toolName: 't', toolCallId: 'c', args } as const;

    expect(items(call)?.content).toEqual([
      { type: 'tool-call', toolName: 't', toolCallId: 'c', input },
    ]);
  });
});

describe('a request that says nothing', () => {
  const goOn = { role: 'user', content: [text('Please go on.')] };

  it('gets a word, so that the provider has something to answer', () => {
    expect(convert([request()], 'Be brief.')).toEqual([
      { role: 'system', content: 'Be brief.' },
      goOn,
    ]);
    expect(convert([said('Hi'), response({ kind: 'text', content: 'Yes?' }), request()])).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [text('Yes?')] },
      goOn,
    ]);
  });

  it('is left out between others', () => {
    const messages = [
      said('Hi'),
      response({ kind: 'tool-call', toolName: 'look', toolCallId: 'c1', args: null }),
      request(),
      request(returned({})),
    ];

    expect(convert(messages).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});

describe('a conversation that grows', () => {
  const answer = deepFreeze(response({ kind: 'text', content: 'Hi.' }));

  it('converts only what is new', () => {
    const converter = new PromptConverter(format());
    const messages = [said('Hello')];
    const first = converter.toPrompt(messages, undefined);
    messages.push(answer, said('Bye'));

    const second = converter.toPrompt(messages, undefined);

    expect(second).toHaveLength(3);
    expect(second[0]).toBe(first[0]);
    expect(first).toHaveLength(1);
  });

  it('merges neighbours of one role without touching what it keeps', () => {
    const converter = new PromptConverter(format());
    const messages = [deepFreeze(said('One')), deepFreeze(said('Two'))];

    const merged = { role: 'user', content: [text('One'), text('Two')] };
    expect(converter.toPrompt(messages, undefined)).toEqual([merged]);
    expect(converter.toPrompt(messages.slice(0, 1), undefined)).toEqual([
      { role: 'user', content: [text('One')] },
    ]);
    expect(converter.toPrompt([...messages], undefined)).toEqual([merged]);
  });

  it('knows frozen messages again in another run, and only those', () => {
    const converter = new PromptConverter(format());
    const open = said('Hello');
    const first = converter.toPrompt([open, answer], undefined);

    const second = converter.toPrompt([open, answer], undefined);

    expect(second[1]).toBe(first[1]);
    expect(second[0]).not.toBe(first[0]);
  });

  it('starts again when messages were taken away', () => {
    const converter = new PromptConverter(format());
    const messages = [said('One'), answer, said('Two')];
    converter.toPrompt(messages, undefined);
    messages.length = 1;

    expect(converter.toPrompt(messages, undefined)).toHaveLength(1);
  });
});
