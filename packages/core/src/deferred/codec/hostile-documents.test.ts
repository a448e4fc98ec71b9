import { describe, expect, it } from 'vitest';
import { catchError } from '../../../test/support/outcomes.ts';
import { untyped } from '../../../test/support/untyped.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { DeferredToolResults } from '../results.ts';
import { requestsCodec, resultsCodec } from './index.ts';

const IDS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a/b~0', 'line\nbreak'];

describe('ids that are special to JavaScript or to paths', () => {
  it.each(IDS)('are treated like all other ids: %j', (id) => {
    const name = JSON.stringify(id);
    const results =
      `{"holdpoint":"results","version":1,"approvals":{${name}:true},` +
      `"calls":{${name}:{"kind":"result","value":{${name}:1}}},"metadata":{${name}:{${name}:{}}}}`;
    const requests =
      `{"holdpoint":"requests","version":1,"approvals":[{"kind":"tool-call","toolName":${name},` +
      `"toolCallId":${name},"args":{${name}:1}}],"calls":[],"metadata":{${name}:{"a":1}}}`;

    const loaded = resultsCodec.parse(results);

    for (const record of [loaded.approvals, loaded.calls, loaded.metadata]) {
      expect(Object.keys(record)).toEqual([id]);
    }
    expect(loaded.has(id)).toBe(true);
    expect(resultsCodec.stringify(loaded)).toBe(results);
    expect(requestsCodec.stringify(requestsCodec.parse(requests))).toBe(requests);
  });

  it('resolve only the call with that id', () => {
    const loaded = resultsCodec.parse(
      '{"holdpoint":"results","version":1,"approvals":{"__proto__":{"kind":"approve"}}}',
    );

    expect(loaded.has('kind')).toBe(false);
    expect(loaded.has('constructor')).toBe(false);
    expect(loaded.approvals['kind']).toBeUndefined();
  });

  it('are not interpreted as records', () => {
    const loaded = resultsCodec.parse(
      '{"holdpoint":"results","version":1,"__proto__":{"approvals":{"call-1":true}}}',
    );

    expect(loaded).toEqual(new DeferredToolResults());
    expect(() =>
      resultsCodec.fromJSON({
        holdpoint: 'results',
        version: 1,
        approvals: Object.create({ x: true }),
      }),
    ).toThrow('approvals: Expected an object, found an instance of a class.');
  });

  it.each(['__proto__', 'constructor', 'toString'])('are not interpreted as kinds: %s', (kind) => {
    const text = `{"holdpoint":"results","version":1,"approvals":{"x":{"kind":"${kind}"}}}`;

    expect(() => resultsCodec.parse(text)).toThrow(InvalidJsonError);
    expect(() => resultsCodec.parse(text.replace('approvals', 'calls'))).toThrow(InvalidJsonError);
  });

  it('cannot add members to a decision', () => {
    const text =
      '{"holdpoint":"results","version":1,' +
      '"approvals":{"x":{"kind":"approve","__proto__":{"overrideArgs":{}}}}}';

    expect(() => resultsCodec.parse(text)).toThrow(
      'approvals.x.__proto__: Expected no member of this name; there can be kind, overrideArgs, approval, reason, shown.',
    );
  });
});

describe('documents of extreme size', () => {
  it('may have ids of any length, which errors shorten', () => {
    const id = 'x'.repeat(1_000_000);
    const results = new DeferredToolResults({ calls: { [id]: 1 } });

    expect(Object.keys(resultsCodec.parse(resultsCodec.stringify(results)).calls)).toEqual([id]);
    for (const bad of [id, `/${id}`]) {
      const mistakes = [
        () => resultsCodec.fromJSON({ holdpoint: 'results', version: 1, approvals: { [bad]: 1 } }),
        () => resultsCodec.stringify(new DeferredToolResults({ calls: { [bad]: Number.NaN } })),
        () => resultsCodec.stringify(new DeferredToolResults({ approvals: { [bad]: untyped(1) } })),
      ];
      for (const mistake of mistakes) {
        const error = catchError(mistake);
        expect(error).toBeInstanceOf(InvalidJsonError);
        expect(error?.message.length).toBeLessThan(200);
      }
    }
  });

  it('may have ten thousand results', () => {
    const results = new DeferredToolResults();
    for (let index = 0; index < 10_000; index++) results.calls[`call-${index}`] = index;

    expect(resultsCodec.parse(resultsCodec.stringify(results))).toEqual(results);
  });

  it('are rejected when they are nested too deep', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const text = `{"holdpoint":"results","version":1,"calls":{"x":{"kind":"result","value":${deep}}}}`;

    expect(() => resultsCodec.parse(text)).toThrow('calls.x.value: Expected at most 200 levels');
    expect(() => resultsCodec.parse(deep)).toThrow(InvalidJsonError);
    expect(() => requestsCodec.parse(deep)).toThrow(InvalidJsonError);
  });

  it('are rejected when they contain themselves', () => {
    const metadata: Record<string, unknown> = {};
    metadata['x'] = metadata;

    expect(() => resultsCodec.fromJSON({ holdpoint: 'results', version: 1, metadata })).toThrow(
      'metadata.x: Expected at most 200 levels',
    );
    expect(() =>
      resultsCodec.stringify(new DeferredToolResults({ calls: { x: untyped(metadata) } })),
    ).toThrow('calls.x.x: JSON cannot hold a value that contains itself.');
  });
});
