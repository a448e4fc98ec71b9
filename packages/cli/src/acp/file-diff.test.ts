import { resolve } from 'node:path';
import type { JsonObject } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import type { PendingCall } from '../terminal/pending-call.ts';
import { fileDiff } from './file-diff.ts';

function callWith(args: JsonObject, preview?: JsonObject): PendingCall {
  return {
    id: 'call-1',
    toolName: 'write',
    kind: 'approval',
    path: [],
    args,
    sent: undefined,
    validatedArgs: args,
    details: preview === undefined ? {} : { preview },
    metadata: undefined,
  };
}

describe('the diff of a call', () => {
  const diff = { type: 'diff', path: resolve('a.txt'), oldText: 'a', newText: 'b' };

  it('comes from the preview', () => {
    const preview = { path: 'a.txt', before: 'a', after: 'b' };

    expect(fileDiff(callWith({ path: 'other.txt' }, preview))).toEqual(diff);
  });

  it('comes from the arguments of a call without a preview', () => {
    expect(fileDiff(callWith({ path: 'a.txt', oldText: 'a', newText: 'b' }))).toEqual(diff);
  });

  it('does not come from the arguments if a preview describes another effect', () => {
    const args = { path: 'a.txt', oldText: 'a', newText: 'b' };

    expect(fileDiff(callWith(args, { rows: 3 }))).toBeUndefined();
  });

  it('shows a new file', () => {
    const call = callWith({}, { path: 'a.txt', before: null, after: 'b' });

    expect(fileDiff(call)).toEqual({ ...diff, oldText: null });
  });

  it.each<[string, JsonObject]>([
    ['no path', { before: 'a', after: 'b' }],
    ['no new text', { path: 'a.txt', before: 'a' }],
    ['numbers', { path: 'a.txt', before: 1, after: 2 }],
  ])('does not exist for %s', (_, preview) => {
    expect(fileDiff(callWith({}, preview))).toBeUndefined();
  });
});
