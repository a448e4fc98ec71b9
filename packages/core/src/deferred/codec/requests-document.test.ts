import { describe, expect, it } from 'vitest';
import { InvalidJsonError } from '../../errors/invalid-json-error.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { DeferredToolRequests } from '../requests.ts';
import { dumpRequests, loadRequests, REQUESTS_VERSION, requestsToJson } from './index.ts';

const deletes = call('call-1', 'delete_file', { path: '.env' });
const renders = call('call-2', 'render', '{"scene":3}');
const requests = new DeferredToolRequests({
  approvals: [deletes],
  calls: [renders],
  metadata: { 'call-1': { reason: 'protected' } },
});

describe('the document of requests', () => {
  it('says what it is and in which version', () => {
    expect(requestsToJson(requests)).toEqual({
      holdpoint: 'requests',
      version: REQUESTS_VERSION,
      approvals: [deletes],
      calls: [renders],
      metadata: { 'call-1': { reason: 'protected' } },
    });
    expect(JSON.parse(dumpRequests(requests))).toEqual(requestsToJson(requests));
  });

  it.each([
    ['the text', dumpRequests(requests)],
    ['the document', requestsToJson(requests)],
    ['the parsed text', JSON.parse(dumpRequests(requests))],
  ])('loads from %s', (_, input) => {
    const loaded = loadRequests(input);

    expect(loaded).toBeInstanceOf(DeferredToolRequests);
    expect(loaded).toEqual(requests);
    expect(Object.getPrototypeOf(loaded.metadata)).toBeNull();
  });

  it('gives requests that can be answered', () => {
    const loaded = loadRequests(dumpRequests(requests));

    expect(loaded.get('call-2').args).toEqual({ scene: 3 });
    const results = loaded.buildResults({ approveAll: true });
    expect(loaded.remaining(results)?.calls).toEqual([renders]);
  });

  it('may have members that this version does not know, and no metadata', () => {
    const { metadata: _, ...document } = requestsToJson(requests);

    expect(loadRequests({ ...document, savedBy: 'ada' }).approvals).toEqual([deletes]);
  });

  it('may have no requests at all', () => {
    const none = new DeferredToolRequests({});

    expect(loadRequests(dumpRequests(none))).toEqual(none);
  });
});

describe('a mistake in requests', () => {
  const document = requestsToJson(requests);

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
  ])('is refused with its place: %#', (input, path, problem) => {
    const load = () => loadRequests(input);

    expect(load).toThrow(InvalidJsonError);
    expect(load).toThrow(expect.objectContaining({ path, message: `${path}: ${problem}` }));
  });

  it('is refused when it is about to be stored', () => {
    const broken = new DeferredToolRequests({
      approvals: [deletes, deletes],
      metadata: { x: { n: Number.NaN } },
    });

    expect(() => dumpRequests(broken)).toThrow('approvals[1].toolCallId: Expected an id');
    expect(() =>
      requestsToJson(new DeferredToolRequests({ metadata: { x: { n: Number.NaN } } })),
    ).toThrow('metadata.x.n: Expected a finite number, found NaN.');
  });
});

function call(toolCallId: string, toolName: string, args: ToolCallPart['args']): ToolCallPart {
  return { kind: 'tool-call', toolName, toolCallId, args };
}
