import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../response-part.ts';
import {
  JsonPath,
  listOf,
  objectOf,
  openDocument,
  optional,
  retryPromptFormat,
  same,
  toolCallFormat,
  toolReturnFormat,
  userContentFormat,
} from './index.ts';

/** A document of another kind, as a later layer would define it. */
interface Calls {
  readonly calls: readonly ToolCallPart[];
  readonly note?: string | undefined;
}

const callsFormat = objectOf<Calls>({
  calls: listOf(toolCallFormat),
  note: optional(
    same((value, path) => (value === 'urgent' ? value : path.mismatch('a note', value))),
  ),
});

function loadCalls(input: unknown): Calls {
  const document = openDocument(input, { holdpoint: 'calls', version: 3 }, JsonPath.root);
  return callsFormat.read(document, JsonPath.root);
}

describe('document that contains parts of messages', () => {
  const call = { kind: 'tool-call', toolName: 'read', toolCallId: 'call-1', args: '{}' };

  it('uses the same formats', () => {
    const document = { holdpoint: 'calls', version: 3, calls: [call], note: 'urgent' };

    expect(loadCalls(document)).toEqual(document);
  });

  it('reports mistakes with their path in the whole document', () => {
    const load = (fields: object) => () => loadCalls({ holdpoint: 'calls', version: 3, ...fields });

    expect(load({ calls: [call, { ...call, toolName: 1 }] })).toThrow('calls[1].toolName: ');
    expect(load({ calls: [{ ...call, kind: 'text' }] })).toThrow('calls[0].kind: ');
    expect(load({})).toThrow('calls: Expected an array, found nothing.');
    expect(load({ version: 4 })).toThrow('version: Expected version 3, found 4: a newer Holdpoint');
    expect(() => loadCalls([call])).toThrow('document: Expected an object, found an array.');
  });

  it('can contain decisions and content without messages', () => {
    const decision = {
      ...call,
      kind: 'tool-return',
      args: undefined,
      content: 1,
      outcome: 'success',
    };
    const retry = { kind: 'retry-prompt', content: 'Again.' };

    expect(toolReturnFormat.read(decision, JsonPath.root)).toEqual(decision);
    expect(retryPromptFormat.read(retry, JsonPath.root)).toEqual(retry);
    expect(userContentFormat.read({ kind: 'cache-point' }, JsonPath.root)).toEqual({
      kind: 'cache-point',
    });
  });
});
