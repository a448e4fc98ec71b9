import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ApprovalJson } from './approval-json.ts';
import type { CallJson } from './call-json.ts';
import { requestsCodec, resultsCodec } from './index.ts';

type Kind = Exclude<ApprovalJson, boolean>['kind'] | CallJson['kind'];

const EVERY_KIND: Readonly<Record<Kind, true>> = {
  approve: true,
  deny: true,
  input: true,
  expire: true,
  supersede: true,
  result: true,
  retry: true,
  fail: true,
  'retry-prompt': true,
};

describe('the stored requests of version 1', () => {
  const text = stored('requests-v1.json');

  it('load and dump to the same document', () => {
    const requests = requestsCodec.parse(text);

    expect(requestsCodec.toJSON(requests)).toEqual(JSON.parse(text));
    expect(requestsCodec.stringify(requests)).toBe(JSON.stringify(JSON.parse(text)));
  });
});

describe('the stored results of version 1', () => {
  const text = stored('results-v1.json');

  it('have every kind of decision and result', () => {
    const { approvals, calls } = JSON.parse(text);
    const kinds = [...Object.values(approvals), ...Object.values(calls)].map(
      (value) => (value as { kind?: string }).kind,
    );

    expect(kinds).toEqual(expect.arrayContaining(Object.keys(EVERY_KIND)));
  });

  it('load and dump to the same document', () => {
    const results = resultsCodec.parse(text);

    expect(resultsCodec.toJSON(results)).toEqual(JSON.parse(text));
    expect(resultsCodec.stringify(results)).toBe(JSON.stringify(JSON.parse(text)));
  });
});

function stored(name: string): string {
  return readFileSync(new URL(`../../../test/fixtures/${name}`, import.meta.url), 'utf8');
}
