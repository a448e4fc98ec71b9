import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { ModelRetry, ToolReturn } from '../../tools/signals.ts';
import { readResult } from './read-result.ts';

const call: ToolCallPart = { kind: 'tool-call', toolName: 'look', toolCallId: 'c', args: {} };
const read = (...content: readonly object[]) => readResult({ content }, call);
const text = (content: string) => ({ type: 'text', text: content });

describe('the value of a result', () => {
  it('is the text of a single block, and JSON in it is not guessed', () => {
    expect(read(text('{"a": 1}'))).toBe('{"a": 1}');
  });

  it('is a list for several blocks', () => {
    expect(read(text('a'), text('b'))).toEqual(['a', 'b']);
  });

  it('is nothing where there is none', () => {
    expect(read()).toBeNull();
    expect(readResult({}, call)).toBeNull();
  });

  it.each([[{ a: 1 }], [[1, 2]], [7], [false], ['']])(
    'is structured content as it is: %j',
    (structuredContent) => {
      expect(readResult({ structuredContent, content: [text('the same')] }, call)).toEqual(
        structuredContent,
      );
    },
  );

  it('is text for a resource of text, by value or as bytes', () => {
    const about = { uri: 'file:///a.json', mimeType: 'application/json' };

    expect(read({ type: 'resource', resource: { ...about, text: '{}' } })).toEqual({
      ...about,
      text: '{}',
    });
    expect(read({ type: 'resource', resource: { ...about, blob: btoa('[1]') } })).toEqual({
      ...about,
      text: '[1]',
    });
  });

  it('is what a link says', () => {
    const link = { type: 'resource_link', uri: 'file:///a', name: 'a', size: 3, icons: [] };

    expect(read(link)).toEqual({ uri: 'file:///a', name: 'a', size: 3 });
  });
});

describe('files in a result', () => {
  const data = btoa('bytes');

  it.each([
    ['image', 'image/png'],
    ['audio', 'audio/wav'],
  ])('are shown to the model: %s', (type, mimeType) => {
    expect(read(text('Look:'), { type, data, mimeType })).toEqual(
      new ToolReturn({
        returnValue: ['Look:', 'See file c-1.'],
        content: ['File c-1:', { kind: 'binary', data, mediaType: mimeType, identifier: 'c-1' }],
      }),
    );
  });

  it('are shown beside structured content', () => {
    const content = [{ type: 'image', data, mimeType: 'image/png' }];

    expect(readResult({ structuredContent: { a: 1 }, content }, call)).toMatchObject({
      returnValue: [{ a: 1 }, 'See file c-1.'],
      content: ['File c-1:', { kind: 'binary' }],
    });
  });

  it('are shown from resources, each under its own name', () => {
    const pdf = (uri: string) => ({
      type: 'resource',
      resource: { uri, mimeType: 'application/pdf', blob: data },
    });

    expect(read(pdf('a'), pdf('b'))).toMatchObject({
      returnValue: [
        { uri: 'a', mimeType: 'application/pdf', file: 'See file c-1.' },
        { uri: 'b', mimeType: 'application/pdf', file: 'See file c-2.' },
      ],
      content: ['File c-1:', { identifier: 'c-1' }, 'File c-2:', { identifier: 'c-2' }],
    });
  });

  it.each(['application/gzip', 'image/svg+xml', 'image/*', '', undefined])(
    'are kept from the model, for the application, where no model takes them: %s',
    (mimeType) => {
      const result = read({ type: 'resource', resource: { uri: 'a', mimeType, blob: data } });

      expect(result).toMatchObject({
        content: undefined,
        returnValue: { uri: 'a', file: expect.stringContaining('not shown') },
        metadata: { mcp: { files: [{ kind: 'binary', data }] } },
      });
    },
  );
});

describe('an error of a tool', () => {
  const failure = (result: object) => {
    try {
      return readResult({ isError: true, ...result }, call);
    } catch (error) {
      return error;
    }
  };

  it('is a retry with its texts', () => {
    const error = failure({ content: [text('Not found.'), text('Try another.')] });

    expect(error).toBeInstanceOf(ModelRetry);
    expect(error).toMatchObject({ message: 'Not found.\nTry another.' });
  });

  it('says something in any case', () => {
    expect(failure({})).toMatchObject({ message: 'The tool failed.' });
    expect(failure({ structuredContent: { code: 7 } })).toMatchObject({ message: '{"code":7}' });
  });

  it('is none unless it says so', () => {
    expect(readResult({ isError: 'no', content: [text('ok')] }, call)).toBe('ok');
  });
});
