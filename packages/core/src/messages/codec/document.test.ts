import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../response-part.ts';
import {
  listOf,
  objectOf,
  openDocument,
  optional,
  parseDocument,
  readRetryPrompt,
  readToolCall,
  readToolReturn,
  readUserContent,
  Trail,
} from './index.ts';

/** A document of another kind, as a later layer would define it. */
interface Calls {
  readonly calls: readonly ToolCallPart[];
  readonly note?: string | undefined;
}

const readCalls = objectOf<Calls>({
  calls: listOf(readToolCall),
  note: optional((value, trail) => (value === 'urgent' ? value : trail.mismatch('a note', value))),
});

function loadCalls(input: unknown): Calls {
  const trail = new Trail();
  const document = parseDocument(input, trail);
  return readCalls(openDocument(document, { holdpoint: 'calls', version: 3 }, trail), trail);
}

describe('a document that holds parts of messages', () => {
  const call = { kind: 'tool-call', toolName: 'read', toolCallId: 'call-1', args: '{}' };

  it('is read with the same readers', () => {
    const document = { holdpoint: 'calls', version: 3, calls: [call], note: 'urgent' };

    expect(loadCalls(document)).toEqual(document);
    expect(loadCalls(JSON.stringify(document))).toEqual(document);
  });

  it('names the places of mistakes from its own top', () => {
    const load = (fields: object) => () => loadCalls({ holdpoint: 'calls', version: 3, ...fields });

    expect(load({ calls: [call, { ...call, toolName: 1 }] })).toThrow('calls[1].toolName: ');
    expect(load({ calls: [{ ...call, kind: 'text' }] })).toThrow('calls[0].kind: ');
    expect(load({})).toThrow('calls: Expected an array, found nothing.');
    expect(load({ version: 4 })).toThrow('version: Expected version 3, found 4: a newer Holdpoint');
    expect(() => loadCalls([call])).toThrow('document: Expected an object, found an array.');
  });

  it('can hold answers and content by themselves', () => {
    const answer = {
      ...call,
      kind: 'tool-return',
      args: undefined,
      content: 1,
      outcome: 'success',
    };
    const retry = { kind: 'retry-prompt', content: 'Again.' };

    expect(readToolReturn(answer, new Trail())).toEqual(answer);
    expect(readRetryPrompt(retry, new Trail())).toEqual(retry);
    expect(readUserContent({ kind: 'cache-point' }, new Trail())).toEqual({ kind: 'cache-point' });
  });
});
