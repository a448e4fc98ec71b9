import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { ModelRetry, ToolReturn } from '../../tools/signals.ts';
import { readMcpResult } from './read-result.ts';

const call: ToolCallPart = { kind: 'tool-call', toolName: 'look', toolCallId: 'c', args: {} };
const read = (...content: readonly object[]) => readMcpResult({ content }, call);
const text = (content: string) => ({ type: 'text', text: content });

describe('value of an MCP result', () => {
  it('is the text of a single block, without parsing it as JSON', () => {
    expect(read(text('{"a": 1}'))).toBe('{"a": 1}');
  });

  it('is a list for several blocks', () => {
    expect(read(text('a'), text('b'))).toEqual(['a', 'b']);
  });

  it('is null without blocks', () => {
    expect(read()).toBeNull();
    expect(readMcpResult({}, call)).toBeNull();
  });

  it.each([[{ a: 1 }], [[1, 2]], [7], [false], ['']])(
    'is the unchanged structured content: %j',
    (structuredContent) => {
      expect(readMcpResult({ structuredContent, content: [text('the same')] }, call)).toEqual(
        structuredContent,
      );
    },
  );

  it('contains the text of a text resource, given as text or as bytes', () => {
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

  it('contains the description of a resource link', () => {
    const link = { type: 'resource_link', uri: 'file:///a', name: 'a', size: 3, icons: [] };

    expect(read(link)).toEqual({ uri: 'file:///a', name: 'a', size: 3 });
  });
});

describe('files in an MCP result', () => {
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

    expect(readMcpResult({ structuredContent: { a: 1 }, content }, call)).toMatchObject({
      returnValue: [{ a: 1 }, 'See file c-1.'],
      content: ['File c-1:', { kind: 'binary' }],
    });
  });

  it('are shown from resources, each with its own identifier', () => {
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
    'are in the metadata instead if no model accepts them: %s',
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

describe('error of an MCP tool', () => {
  const failure = (result: object) => {
    try {
      return readMcpResult({ isError: true, ...result }, call);
    } catch (error) {
      return error;
    }
  };

  it('becomes a ModelRetry with the texts of the result', () => {
    const error = failure({ content: [text('Not found.'), text('Try another.')] });

    expect(error).toBeInstanceOf(ModelRetry);
    expect(error).toMatchObject({ message: 'Not found.\nTry another.' });
  });

  it('has a default message', () => {
    expect(failure({})).toMatchObject({ message: 'The tool failed.' });
    expect(failure({ structuredContent: { code: 7 } })).toMatchObject({ message: '{"code":7}' });
  });

  it('is ignored unless isError is true', () => {
    expect(readMcpResult({ isError: 'no', content: [text('ok')] }, call)).toBe('ok');
  });
});
