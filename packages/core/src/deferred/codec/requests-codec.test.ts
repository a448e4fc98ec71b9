import { describe, expect, it } from 'vitest';
import { readWith } from '../../../test/support/read-with.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { DeferredToolRequests } from '../requests.ts';
import { requestsCodec } from './index.ts';

const deletes = call('call-1', 'delete_file', { path: '.env' });
const renders = call('call-2', 'render', '{"scene":3}');
const requests = new DeferredToolRequests({
  approvals: [deletes],
  calls: [renders],
  metadata: { 'call-1': { reason: 'protected' } },
});

describe('document of deferred requests', () => {
  it('contains its type and version', () => {
    expect(requestsCodec.toJSON(requests)).toEqual({
      holdpoint: 'requests',
      version: requestsCodec.version,
      approvals: [deletes],
      calls: [renders],
      metadata: { 'call-1': { reason: 'protected' } },
    });
    expect(JSON.parse(requestsCodec.stringify(requests))).toEqual(requestsCodec.toJSON(requests));
  });

  it.each([
    ['the text', requestsCodec.stringify(requests)],
    ['the document', requestsCodec.toJSON(requests)],
    ['the parsed text', JSON.parse(requestsCodec.stringify(requests))],
  ])('loads from %s', (_, input) => {
    const loaded = readWith(requestsCodec, input);

    expect(loaded).toBeInstanceOf(DeferredToolRequests);
    expect(loaded).toEqual(requests);
    expect(Object.getPrototypeOf(loaded.metadata)).toBeNull();
  });

  it('returns requests that accept decisions', () => {
    const loaded = requestsCodec.parse(requestsCodec.stringify(requests));

    expect(loaded.get('call-2').args).toEqual({ scene: 3 });
    const results = loaded.buildResults({ approveAll: true });
    expect(loaded.remaining(results)?.calls).toEqual([renders]);
  });

  it('may have unknown members, and no metadata', () => {
    const { metadata: _, ...document } = requestsCodec.toJSON(requests);

    expect(requestsCodec.fromJSON({ ...document, savedBy: 'ada' }).approvals).toEqual([deletes]);
  });

  it('may have no requests at all', () => {
    const none = new DeferredToolRequests({});

    expect(requestsCodec.parse(requestsCodec.stringify(none))).toEqual(none);
  });
});

describe('mistake in a document of deferred requests', () => {
  const document = requestsCodec.toJSON(requests);

  it.each([
    ['[', 'document', 'Expected JSON, found a text that does not parse; it may be cut off.'],
    [null, 'document', 'Expected an object, found null.'],
    [requests, 'document', 'Expected an object, found an instance of a class.'],
    [JSON.stringify(requests), 'holdpoint', 'Expected "requests", found nothing.'],
    [{ ...document, holdpoint: 'results' }, 'holdpoint', 'Expected "requests", found "results".'],
    [
      { ...document, version: 2 },
      'version',
      'Expected version 1, found 2: a newer Holdpoint wrote this document; update Holdpoint to read it.',
    ],
    [{ ...document, version: '1' }, 'version', 'Expected version 1, found "1".'],
    [{ ...document, calls: undefined }, 'calls', 'Expected an array, found nothing.'],
    [{ ...document, approvals: {} }, 'approvals', 'Expected an array, found an object.'],
    [
      { ...document, approvals: [{ ...deletes, args: 1 }] },
      'approvals[0].args',
      'Expected an object, a string or null, found 1.',
    ],
    [
      { ...document, calls: [renders, { ...renders, kind: 'native-tool-call' }] },
      'calls[1].kind',
      'Expected "tool-call", found "native-tool-call".',
    ],
    [
      { ...document, calls: [renders, deletes] },
      'calls[1].toolCallId',
      'Expected an id that no other call has, found "call-1" again.',
    ],
    [{ ...document, metadata: [] }, 'metadata', 'Expected an object, found an array.'],
    [
      { ...document, metadata: { 'a/b': 'x' } },
      'metadata["a/b"]',
      'Expected an object, found a string.',
    ],
    [
      { ...document, metadata: { 'call-1': { at: [new Date(0)] } } },
      'metadata["call-1"].at[0]',
      'Expected a JSON value, found an instance of a class.',
    ],
  ])('is rejected with its path: %#', (input, path, problem) => {
    const load = () => readWith(requestsCodec, input);

    expect(load).toThrow(InvalidJsonError);
    expect(load).toThrow(expect.objectContaining({ path, message: `${path}: ${problem}` }));
  });

  it('is rejected before it is stored', () => {
    const duplicate = new DeferredToolRequests({ approvals: [deletes, deletes] });

    expect(() => requestsCodec.stringify(duplicate)).toThrow(
      'approvals[1].toolCallId: Expected an id',
    );
    expect(() =>
      requestsCodec.toJSON(new DeferredToolRequests({ metadata: { x: { n: Number.NaN } } })),
    ).toThrow('metadata.x.n: Expected a finite number, found NaN.');
  });
});

function call(toolCallId: string, toolName: string, args: ToolCallPart['args']): ToolCallPart {
  return { kind: 'tool-call', toolName, toolCallId, args };
}
