import { describe, expect, it } from 'vitest';
import type { ResponsePart } from '../../messages/response-part.ts';
import { convert, response, said, text } from '../../../test/support/prompt-conversion.ts';

describe('a response in a prompt', () => {
  const items = (...parts: ResponsePart[]) => convert([said('Hello'), response(...parts)])[1];

  it('is text for speech and for a summary with content', () => {
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

  it('contains the provider details of its parts', () => {
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
    'has a signature without details in the field that its provider reads: %j',
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
