import { describe, expect, it } from 'vitest';
import { readWith } from '../../../test/support/read-with.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { messageCodec } from './index.ts';

describe('a document that cannot be read', () => {
  it.each([
    ['not json', 'document', 'Expected JSON, found a text that does not parse; it may be cut off.'],
    ['', 'document', 'Expected JSON, found a text that does not parse; it may be cut off.'],
    ['"text"', 'document', 'Expected a document or an array of messages, found a string.'],
    [null, 'document', 'Expected a document or an array of messages, found null.'],
    [undefined, 'document', 'Expected a document or an array of messages, found nothing.'],
    [new Map(), 'document', 'Expected an object, found an instance of a class.'],
    [{}, 'holdpoint', 'Expected "messages", found nothing.'],
    [{ holdpoint: 'results', version: 1 }, 'holdpoint', 'Expected "messages", found "results".'],
    [{ holdpoint: 'messages' }, 'version', 'Expected version 1, found nothing.'],
    [{ holdpoint: 'messages', version: 0 }, 'version', 'Expected version 1, found 0.'],
    [{ holdpoint: 'messages', version: '1' }, 'version', 'Expected version 1, found "1".'],
    [
      { holdpoint: 'messages', version: 2, messages: 'unheard of' },
      'version',
      'Expected version 1, found 2: a newer Holdpoint wrote this document; update Holdpoint to read it.',
    ],
    [{ holdpoint: 'messages', version: 1 }, 'messages', 'Expected an array, found nothing.'],
    [
      { holdpoint: 'messages', version: 1, messages: [null] },
      'messages[0]',
      'Expected an object, found null.',
    ],
  ])('is rejected with its path: %j', (input, path, problem) => {
    expectMistake(input, path, problem);
  });
});

describe('a mistake in a message', () => {
  it.each([
    [[], 'messages[1]', 'Expected an object, found an array.'],
    ['request', 'messages[1]', 'Expected an object, found a string.'],
    [{ parts: [] }, 'messages[1].kind', 'Expected "request" or "response", found nothing.'],
    [{ kind: 'note' }, 'messages[1].kind', 'Expected "request" or "response", found "note".'],
    [{ kind: 7 }, 'messages[1].kind', 'Expected "request" or "response", found 7.'],
    [{ kind: 'request' }, 'messages[1].parts', 'Expected an array, found nothing.'],
    [request({}, { runId: 1 }), 'messages[1].runId', 'Expected a string, found 1.'],
    [
      request({}, { conversationId: null }),
      'messages[1].conversationId',
      'Expected a value or no such member, found null; leave the member out instead.',
    ],
    [request({}, { metadata: [] }), 'messages[1].metadata', 'Expected an object, found an array.'],
    [
      request({}, { metadata: { 'a b': [{ c: Number.NaN }] } }),
      'messages[1].metadata["a b"][0].c',
      'Expected a finite number, found NaN.',
    ],
    [
      request({}, { state: 'suspended' }),
      'messages[1].state',
      'Expected "complete" or "interrupted", found "suspended".',
    ],
    [
      request({}, { timestamp: 'yesterday' }),
      'messages[1].timestamp',
      'Expected an ISO 8601 date and time such as "2026-01-31T12:00:00Z", found "yesterday".',
    ],
    [
      response({}, { finishReason: 'tired' }),
      'messages[1].finishReason',
      'Expected "stop", "length", "content_filter", "tool_call" or "error", found "tired".',
    ],
    [response({}, { usage: [] }), 'messages[1].usage', 'Expected an object, found an array.'],
    [
      response({}, { usage: { inputTokens: '1' } }),
      'messages[1].usage.inputTokens',
      'Expected a finite number, found a string.',
    ],
    [
      response({}, { usage: { details: { reasoning: null } } }),
      'messages[1].usage.details.reasoning',
      'Expected a finite number, found null.',
    ],
    [
      response({}, { usage: { cost: 'free' } }),
      'messages[1].usage.cost',
      'Expected a decimal number as a string, found "free".',
    ],
  ])('is rejected with its path: %j', (message, path, problem) => {
    expectMistake([{ kind: 'request', parts: [] }, message], path, problem);
  });
});

describe('a mistake in a part', () => {
  const call = { kind: 'tool-call', toolName: 'read', toolCallId: 'call-1', args: null };
  const toolReturn = {
    ...call,
    kind: 'tool-return',
    args: undefined,
    content: 1,
    outcome: 'success',
  };
  const retry = { kind: 'retry-prompt', content: 'Again.' };

  it.each([
    [request('Hello'), '', 'Expected an object, found a string.'],
    [
      request({ kind: 'text', content: 'Hello' }),
      '.kind',
      'Expected "system-prompt", "user-prompt", "tool-return", "retry-prompt", ' +
        '"tool-availability-delta" or "speech", found "text".',
    ],
    [
      response({ kind: 'toString' }),
      '.kind',
      'Expected "text", "thinking", "tool-call", "native-tool-call", "native-tool-return", ' +
        '"file", "compaction" or "speech", found "toString".',
    ],
    [request({ kind: 'system-prompt' }), '.content', 'Expected a string, found nothing.'],
    [
      request({ kind: 'user-prompt', content: null }),
      '.content',
      'Expected a string or an array, found null.',
    ],
    [response({ ...call, toolName: 5 }), '.toolName', 'Expected a string, found 5.'],
    [
      response({ ...call, args: [] }),
      '.args',
      'Expected an object, a string or null, found an array.',
    ],
    [
      response({ ...call, args: undefined }),
      '.args',
      'Expected an object, a string or null, found nothing.',
    ],
    [
      response({ ...call, args: new Date(0) }),
      '.args',
      'Expected an object, found an instance of a class.',
    ],
    [
      response({ ...call, toolKind: 'magic' }),
      '.toolKind',
      'Expected "tool-search" or "capability-load", found "magic".',
    ],
    [
      response({ ...call, providerDetails: 'x' }),
      '.providerDetails',
      'Expected an object, found a string.',
    ],
    [
      request({ ...toolReturn, content: undefined }),
      '.content',
      'Expected a JSON value, found nothing.',
    ],
    [
      request({ ...toolReturn, content: [() => 1] }),
      '.content[0]',
      'Expected a JSON value, found a function.',
    ],
    [
      request({ ...toolReturn, outcome: 'ok' }),
      '.outcome',
      'Expected "success", "failed", "denied", "interrupted", "expired" or "superseded", found "ok".',
    ],
    [
      request({ ...retry, content: 1 }),
      '.content',
      'Expected a string or an array of issues, found 1.',
    ],
    [
      request({ ...retry, content: [{ path: [true], message: 'Required' }] }),
      '.content[0].path[0]',
      'Expected a string or a finite number, found true.',
    ],
    [
      request({ ...retry, toolName: 'read' }),
      '.toolCallId',
      'Expected a string, since there is a toolName, found nothing.',
    ],
    [
      request({ kind: 'tool-availability-delta', toolsAdded: ['read', null] }),
      '.toolsAdded[1]',
      'Expected a string, found null.',
    ],
    [
      response({ kind: 'file', content: { kind: 'image-url', url: 'x' } }),
      '.content.kind',
      'Expected "binary", found "image-url".',
    ],
    [
      response({ kind: 'text', content: 'Hello', later: 1n }),
      '.later',
      'Expected a JSON value, found a bigint.',
    ],
  ])('is rejected with its path: %#', (message, path, problem) => {
    expectMistake([message], `messages[0].parts[0]${path}`, problem);
  });
});

describe('a mistake in an item of a user prompt', () => {
  it.each([
    [7, '', 'Expected a string or an object, found 7.'],
    [['Hello'], '', 'Expected an object, found an array.'],
    [
      { kind: 'text', text: 'Hello' },
      '.kind',
      'Expected "text-content", "image-url", "audio-url", "video-url", "document-url", "binary", ' +
        '"uploaded-file" or "cache-point", found "text".',
    ],
    [{ kind: 'image-url' }, '.url', 'Expected a string, found nothing.'],
    [
      { kind: 'image-url', url: 'x', forceDownload: 'yes' },
      '.forceDownload',
      'Expected true, false or "allow-local", found "yes".',
    ],
    [{ kind: 'cache-point', ttl: '2h' }, '.ttl', 'Expected "5m" or "1h", found "2h".'],
    [
      { kind: 'binary', data: 'not base64!', mediaType: 'a/b' },
      '.data',
      'Expected bytes as base64, found other text.',
    ],
    [
      { kind: 'binary', data: 'ab=c', mediaType: 'a/b' },
      '.data',
      'Expected bytes as base64, found other text.',
    ],
    [
      { kind: 'binary', data: new Uint8Array(1), mediaType: 'a/b' },
      '.data',
      'Expected bytes as base64, found an instance of a class.',
    ],
    [{ kind: 'binary', data: 'aGk=' }, '.mediaType', 'Expected a string, found nothing.'],
    [{ kind: 'uploaded-file', fileId: 'f' }, '.providerName', 'Expected a string, found nothing.'],
  ])('is rejected with its path: %j', (item, path, problem) => {
    const message = request({ kind: 'user-prompt', content: ['Hello', item] });

    expectMistake([message], `messages[0].parts[0].content[1]${path}`, problem);
  });
});

function request(part: unknown, fields: object = {}): object {
  return messageOf('request', part, fields);
}

function response(part: unknown, fields: object = {}): object {
  return messageOf('response', part, fields);
}

/** A message with `part`, or without parts if the mistake is in `fields`. */
function messageOf(kind: string, part: unknown, fields: object): object {
  return { kind, parts: Object.keys(fields).length > 0 ? [] : [part], ...fields };
}

function expectMistake(input: unknown, path: string, problem: string): void {
  const load = () => readWith(messageCodec, input);

  expect(load).toThrow(InvalidJsonError);
  expect(load).toThrow(expect.objectContaining({ path, message: `${path}: ${problem}` }));
}
