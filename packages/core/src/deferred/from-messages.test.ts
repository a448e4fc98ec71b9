import { describe, expect, it } from 'vitest';
import { catchError } from '../../test/support/outcomes.ts';
import { untyped } from '../../test/support/untyped.ts';
import { Agent } from '../agent/agent.ts';
import { InvalidJsonError, UserError } from '../errors/user-errors.ts';
import { messageCodec } from '../messages/codec/index.ts';
import type { Message, ModelResponse } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { calls, type ResponseDraft, responds, says, scriptedModel } from '../testing/index.ts';
import { tool } from '../tools/define-tool.ts';
import { ApprovalRequired, CallDeferred } from '../tools/signals.ts';
import { requestsFromMessages } from './from-messages.ts';
import { DeferredToolRequests } from './requests.ts';

const remove = tool({ name: 'remove', requiresApproval: true, execute: () => 'removed' });
const move = tool({
  name: 'move',
  execute(_, ctx) {
    if (ctx.toolCallApproved) throw new CallDeferred({ job: 7 });
    throw new ApprovalRequired({ reason: 'protected' });
  },
});
const list = tool({ name: 'list', execute: () => 'a, b' });

describe('the requests of a parked run', () => {
  it('are read back from its stored messages', async () => {
    const agent = agentThat(responds(calls('move'), calls('list'), calls('remove')));
    const parked = await agent.run('Tidy up.');

    const stored = messageCodec.stringify(parked.messages);

    const requests = requestsFromMessages(messageCodec.parse(stored));
    expect(requests).toBeInstanceOf(DeferredToolRequests);
    expect(requests).toEqual(parked.output);
    expect(Object.getPrototypeOf(requests?.metadata)).toBeNull();
    expect(requestsFromMessages(parked.messages)).toEqual(parked.output);
    expect(requestsFromMessages(JSON.parse(JSON.stringify(parked.messages)))).toEqual(
      parked.output,
    );
  });

  it('accept decisions like those of the run', async () => {
    const agent = agentThat(calls('remove'), says('Done.'));
    const parked = await agent.run('Remove it.');

    const results = requestsFromMessages(parked.messages)?.buildResults({ approveAll: true });

    const messageHistory = parked.messages;
    const finished = await agent.run(undefined, { messageHistory, deferredToolResults: results });
    expect(finished.output).toBe('Done.');
    expect(requestsFromMessages(finished.messages)).toBeUndefined();
  });

  it('are those of the last round', async () => {
    const agent = agentThat(responds(calls('move'), calls('remove')));
    const first = await agent.run('Tidy up.');
    if (first.status !== 'parked') throw new Error('The run did not park.');

    const second = await agent.resume(first, first.output.buildResults({ approveAll: true }));

    const requests = requestsFromMessages(
      messageCodec.parse(messageCodec.stringify(second.messages)),
    );
    expect(requests).toEqual(second.output);
    expect(requests).toMatchObject({
      approvals: [],
      calls: [{ toolCallId: 'call-1' }],
      metadata: { 'call-1': { job: 7 } },
    });
  });
});

describe('a history', () => {
  it.each<[string, Message[]]>([
    ['without messages', []],
    ['without a response', [{ kind: 'request', parts: [] }]],
    ['that ends with text', [{ kind: 'response', parts: [{ kind: 'text', content: 'Hi' }] }]],
    ['whose calls all have results', [response(['a']), resultFor('a')]],
    ['whose recorded calls all have results', [parkedOn({ a: 'approval' }), resultFor('a')]],
    [
      'with pending calls of an earlier response',
      [response(['a']), { kind: 'request', parts: [] }, response([])],
    ],
  ])('%s has no pending calls', (_, messages) => {
    expect(requestsFromMessages(messages)).toBeUndefined();
  });

  it('lists calls without a result in the order of the record', () => {
    const parked = parkedOn({ c: 'approval', b: 'external', a: 'approval', d: 'external' });

    const requests = requestsFromMessages([parked, resultFor('d')]);

    expect(requests?.approvals).toEqual([call('c'), call('a')]);
    expect(requests?.calls).toEqual([call('b')]);
  });

  it('lists pending calls with ids that are special to JavaScript', () => {
    const text = JSON.stringify([
      response(['__proto__', 'constructor', 'a/b'], {
        constructor: { kind: 'external', metadata: { job: 1 } },
        'a/b': { kind: 'approval' },
      }),
    ]).replace('"open":{', '"open":{"__proto__":{"kind":"approval","metadata":{"x":1}},');

    const requests = requestsFromMessages(messageCodec.parse(text));

    expect(requests?.approvals.map((one) => one.toolCallId)).toEqual(['__proto__', 'a/b']);
    expect(requests?.calls.map((one) => one.toolCallId)).toEqual(['constructor']);
    expect(Object.entries(requests?.metadata ?? {})).toEqual([
      ['__proto__', { x: 1 }],
      ['constructor', { job: 1 }],
    ]);
  });

  it('lists no call that exists only in its record', () => {
    const record = { a: { kind: 'approval' }, forged: { kind: 'approval', metadata: { x: 1 } } };

    const requests = requestsFromMessages([response(['a'], record)]);

    expect(requests?.approvals).toEqual([call('a')]);
    expect(requests?.metadata).toEqual({});
  });

  it('lists no call of an earlier response that a record names', () => {
    const messages = [
      response(['old']),
      resultFor('old'),
      response(['a'], { old: { kind: 'approval' } }),
    ];

    expect(() => requestsFromMessages(messages)).toThrow(
      /no step record for pending tool calls.*: 'a' \(remove\)/,
    );
  });
});

describe('pending calls without complete data', () => {
  it('are rejected when there is no record', () => {
    const read = () => requestsFromMessages([response(['a', 'b']), resultFor('a')]);

    expect(read).toThrow(UserError);
    expect(read).toThrow(
      /no step record for pending tool calls.*: 'b' \(remove\).*Use the requests of the run that parked/s,
    );
  });

  it('are rejected when the record leaves them out', () => {
    expect(() => requestsFromMessages([response(['a', 'b'], { a: { kind: 'approval' } })])).toThrow(
      "a decision or a result: 'b' (remove)",
    );
  });

  it('are rejected when two share an id', () => {
    expect(() => requestsFromMessages([response(['a', 'a'], { a: { kind: 'approval' } })])).toThrow(
      "would be ambiguous: 'a' (remove)",
    );
  });

  it('are listed up to a maximum', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `${index}-${'x'.repeat(1000)}`);

    const error = catchError(() => requestsFromMessages([response(ids)]));

    expect(error?.message).toContain('and 990 more');
    expect(error?.message.length).toBeLessThan(2000);
  });

  it('are rejected when the record is broken', () => {
    expect(() => requestsFromMessages([response(['a'], { a: { kind: 'yes' } })])).toThrow(
      InvalidJsonError,
    );
    expect(() => requestsFromMessages([untyped({ kind: 'response' })])).toThrow(InvalidJsonError);
  });
});

function agentThat(...script: ResponseDraft[]) {
  return new Agent({
    model: scriptedModel(...script),
    tools: [remove, move, list],
    output: [String, DeferredToolRequests],
  });
}

function call(toolCallId: string): ToolCallPart {
  return { kind: 'tool-call', toolName: 'remove', toolCallId, args: {} };
}

/** Returns a response with calls, and with a step record if it has entries. */
function response(ids: readonly string[], open?: Record<string, object>): ModelResponse {
  const parts = ids.map(call);
  if (open === undefined) return { kind: 'response', parts };
  // Also accepts invalid records, as in an untrusted history.
  return { kind: 'response', parts, metadata: { holdpoint: untyped({ v: 1, step: 's', open }) } };
}

function parkedOn(open: Record<string, string>): ModelResponse {
  const record = Object.entries(open).map(([id, kind]) => [id, { kind }] as const);
  return response(Object.keys(open).toSorted(), Object.fromEntries(record));
}

function resultFor(toolCallId: string): Message {
  const part = { toolName: 'remove', toolCallId, content: 'Done.', outcome: 'success' } as const;
  return { kind: 'request', parts: [{ kind: 'tool-return', ...part }] };
}
