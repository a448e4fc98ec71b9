import {
  Agent,
  binaryContent,
  captureRunMessages,
  InvalidJsonError,
  messageCodec,
  tool,
  ToolReturn,
  UserError,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryJson } from '../../support/arbitrary-messages.ts';
import { partsOf, sentTo } from '../../support/conversation.ts';

/** Runs an agent whose only tool returns this. */
function runReturning(value: unknown) {
  const look = tool({ name: 'look', execute: () => value });
  const model = scriptedModel(calls('look'), says('Seen.'));
  return captureRunMessages(() => new Agent({ model, tools: [look] }).run('Go.'));
}

class Point {
  readonly x = 1;
  readonly #secret = 'hidden';
  get secret() {
    return this.#secret;
  }
}

class Sealed {
  readonly #value = 42;
  get value() {
    return this.#value;
  }
}

const cycle: Record<string, unknown> = {};
cycle['list'] = [cycle];

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

describe('a result that JSON can hold', () => {
  it.each([
    ['nothing', undefined, null],
    ['null', null, null],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['an address', new URL('https://example.com/a'), 'https://example.com/a'],
    ['fields of a class', new Point(), { x: 1 }],
    ['absent members', { a: undefined, b: 1 }, { b: 1 }],
    ['holes in a list', [undefined, 1], [null, 1]],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['a special key', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
    ['a value 150 levels deep', nested(150), nested(150)],
  ])('reaches the model: %s', async (_what, value, expected) => {
    const { status, messages } = await runReturning(value);

    expect(status).toBe('fulfilled');
    expect(partsOf(messages)[2]).toMatchObject({ kind: 'tool-return', outcome: 'success' });
    expect(partsOf(messages)[2]).toHaveProperty('content', expected);
    expect(messageCodec.parse(messageCodec.stringify(messages))).toEqual(messages);
  });

  it('may be any JSON, and is unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryJson, async (value) => {
        const { messages } = await runReturning(value);

        expect(partsOf(messages)[2]).toHaveProperty('content', value);
      }),
      { numRuns: 100 },
    );
  });

  it('is copied: later changes by the tool have no effect, and its object is not frozen', async () => {
    const value = { list: [1] };

    const { messages } = await runReturning(value);
    value.list.push(2);

    expect(partsOf(messages)[2]).toMatchObject({ content: { list: [1] } });
  });

  it('may contain files', async () => {
    const picture = binaryContent(new Uint8Array([1, 2, 3]), 'image/png');

    const { messages } = await runReturning({ pictures: [picture] });

    expect(partsOf(messages)[2]).toMatchObject({ content: { pictures: [picture] } });
    expect(messageCodec.parse(messageCodec.stringify(messages))).toEqual(messages);
  });
});

describe('a result that JSON cannot hold', () => {
  const promised = Promise.resolve(1);

  it.each([
    ['a bigint', 5n, "result of 'look'"],
    ['a bigint inside', { rows: [{ id: 5n }] }, "result of 'look'.rows[0].id"],
    ['a function', { go() {} }, "result of 'look'.go"],
    ['a symbol', [Symbol('s')], "result of 'look'[0]"],
    ['not a number', { share: Number.NaN }, "result of 'look'.share"],
    ['infinity', Number.POSITIVE_INFINITY, "result of 'look'"],
    ['itself', cycle, "result of 'look'.list[0]"],
    ['a map', { byId: new Map([[1, 2]]) }, "result of 'look'.byId"],
    ['a set', new Set([1]), "result of 'look'"],
    ['a promise', { row: promised }, "result of 'look'.row"],
    ['an error', { error: new Error('no') }, "result of 'look'.error"],
    ['bytes', new Uint8Array([1, 2]), "result of 'look'"],
    ['a value 250 levels deep', nested(250), expect.stringContaining("result of 'look'")],
  ])('ends the run with the path of the problem: %s', async (_what, value, path) => {
    const captured = await runReturning(value);

    expect(captured).toMatchObject({ status: 'rejected', reason: { path } });
    expect(captured.status === 'rejected' && captured.reason).toBeInstanceOf(InvalidJsonError);
    expect(captured.messages).toHaveLength(2);
  });

  it.each([
    ['bytes of Node', Buffer.from('hello')],
    ['an answer of fetch', new Response('hello')],
    ['headers', new Headers({ a: 'b' })],
    ['a query', new URLSearchParams('a=b')],
    ['a blob', new Blob(['hello'])],
    ['a class without fields', new Sealed()],
    ['a generator', [1, 2].values()],
  ])('ends the run instead of reaching the model empty or incomplete: %s', async (_what, value) => {
    const captured = await runReturning({ value });

    expect(captured).toMatchObject({ status: 'rejected', reason: { code: 'invalid-json' } });
  });
});

describe('a ToolReturn', () => {
  it('sends its content to the model after all results, but not its metadata', async () => {
    const look = tool({
      name: 'look',
      execute: () =>
        new ToolReturn({ returnValue: 1, content: ['Look:', 'here'], metadata: { row: 7 } }),
    });
    const plain = tool({ name: 'plain', execute: () => 2 });
    const model = scriptedModel(
      responds(calls('look'), calls('plain'), calls('look')),
      says('Seen.'),
    );

    await new Agent({ model, tools: [look, plain] }).run('Go.');

    expect(sentTo(model, 1).at(-1)?.parts).toMatchObject([
      { kind: 'tool-return', content: 1, metadata: { row: 7 } },
      { kind: 'tool-return', content: 2 },
      { kind: 'tool-return', content: 1 },
      { kind: 'user-prompt', content: ['Look:', 'here'] },
      { kind: 'user-prompt', content: ['Look:', 'here'] },
    ]);
  });

  it.each([[''], [[]], [undefined]])('without content shows nothing: %j', async (content) => {
    const { messages } = await runReturning(new ToolReturn({ returnValue: 1, content }));

    expect(messages[2]?.parts).toHaveLength(1);
  });

  it.each([
    ['a list', [new ToolReturn({ returnValue: 1 })]],
    ['an object', { result: new ToolReturn({ returnValue: 1 }) }],
    ['another one', new ToolReturn({ returnValue: new ToolReturn({ returnValue: 1 }) })],
  ])('inside of %s is an error that names the tool', async (_what, value) => {
    const captured = await runReturning(value);

    expect(captured).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('ToolReturn') },
    });
    expect(captured.status === 'rejected' && captured.reason).toBeInstanceOf(UserError);
    expect(captured).toMatchObject({ reason: { message: expect.stringContaining('look') } });
  });

  it.each([
    ['returnValue', { returnValue: 5n as unknown }],
    ['metadata', { returnValue: 1, metadata: { id: 5n } }],
  ])('with a %s that JSON cannot hold is an error', async (what, options) => {
    const captured = await runReturning(new ToolReturn(options));

    expect(captured).toMatchObject({
      status: 'rejected',
      reason: { path: expect.stringContaining(`${what} of 'look'`) },
    });
  });
});
