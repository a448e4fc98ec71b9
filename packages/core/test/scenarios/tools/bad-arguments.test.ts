import {
  Agent,
  captureRunMessages,
  fromJsonSchema,
  messageCodec,
  ModelRetry,
  tool,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { z } from 'zod';
import { lastPartsOf, partsOf, sentTo } from '../../support/conversation.ts';
import { present } from '../../support/present.ts';

/** A tool that records the arguments of its executions. */
function recordingTool<Schema extends z.ZodType<object>>(name: string, inputSchema: Schema) {
  const received: unknown[] = [];
  const made = tool({
    name,
    inputSchema,
    execute: (args) => {
      received.push(args);
      return 'done';
    },
  });
  return { received, tool: made };
}

const path = z.strictObject({ path: z.string() });

/** Runs a call; returns the part that the model received for it. */
async function resultOf(made: ReturnType<typeof recordingTool>, args: Parameters<typeof calls>[1]) {
  const model = scriptedModel(calls(present(made.tool.name), args), says('I give up.'));

  const result = await new Agent({ model, tools: [made.tool] }).run('Go.');

  return { part: lastPartsOf(sentTo(model, 1))[0], result };
}

describe('invalid arguments', () => {
  it.each([
    ['broken JSON', '{"path": ".en', '{"path": ".en'],
    ['text that is no JSON', 'rm -rf /', 'rm -rf /'],
    ['blanks', '   ', '   '],
    ['a JSON text', '".env"', '.env'],
    ['a JSON number', '5', 5],
    ['a JSON number that is not exact', '12345678901234567890', '12345678901234567890'],
    ['a JSON list', '[".env"]', ['.env']],
    ['JSON with something after it', '{"path": ".env"} and so on', '{"path": ".env"} and so on'],
  ])('are sent back when they are %s', async (_what, text, input) => {
    const remove = recordingTool('remove', path);

    const { part, result } = await resultOf(remove, text);

    expect(remove.received).toEqual([]);
    expect(part).toMatchObject({
      kind: 'retry-prompt',
      toolName: 'remove',
      toolCallId: 'call-1',
      content: [{ path: [], message: expect.stringContaining('JSON'), input }],
    });
    expect(partsOf(result.messages)[1]).toMatchObject({ kind: 'tool-call', args: text });
    expect(result.usage.toolCalls).toBe(0);
  });

  it.each([
    ['a wrong type', { path: 5 }, { path: ['path'], input: 5 }],
    ['a missing key', {}, { path: ['path'] }],
    ['a key too many', { path: '.env', force: true }, { path: [] }],
    ['null', null, { path: ['path'] }],
    ['an empty text', '', { path: ['path'] }],
    ['the JSON null', 'null', { path: ['path'] }],
    ['a __proto__ key', '{"path": ".env", "__proto__": {"path": "x"}}', { path: [] }],
    ['a constructor key', '{"path": ".env", "constructor": {}}', { path: [] }],
  ])('are sent back with the path of the problem: %s', async (_what, args, issue) => {
    const remove = recordingTool('remove', path);

    const { part } = await resultOf(remove, args);

    expect(remove.received).toEqual([]);
    expect(part).toMatchObject({ kind: 'retry-prompt', content: [issue] });
  });

  it('of any text are sent back, and never reach the tool or break the run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        const remove = recordingTool('remove', path);

        const { part } = await resultOf(remove, text);

        expect(part).toMatchObject({ kind: 'retry-prompt' });
        expect(remove.received).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['too large a number', '{"path": 1e999}'],
    ['too many levels', `{"path": ${'['.repeat(300)}${']'.repeat(300)}}`],
  ])('leave a history that can be stored and continued: %s', async (_what, args) => {
    const { result } = await resultOf(recordingTool('remove', path), args);

    const stored = () => messageCodec.parse(messageCodec.stringify(result.messages));

    expect(stored).not.toThrow();
  });

  it('are sent back when they are nested too deep', async () => {
    const anything = recordingTool('anything', z.looseObject({}));
    const deep = `{"a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`;

    const { part } = await resultOf(anything, deep);

    expect(part).toMatchObject({ kind: 'retry-prompt' });
  });

  it('are rejected by a tool without an input schema', async () => {
    const received: unknown[] = [];
    const ping = tool({ name: 'ping', execute: (args) => received.push(args) });
    const model = scriptedModel(calls('ping', { path: '/etc/passwd' }), says('Done.'));

    await new Agent({ model, tools: [ping] }).run('Go.');

    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([{ kind: 'retry-prompt' }]);
    expect(received).toEqual([]);
  });
});

describe('unusual arguments that are valid', () => {
  it.each([[null], [''], ['null'], ['{}'], [{}]])(
    'may be %j if nothing is required',
    async (args) => {
      const list = recordingTool('list', z.object({ path: z.string().default('.') }));

      const { part } = await resultOf(list, args);

      expect(part).toMatchObject({ kind: 'tool-return', content: 'done' });
      expect(list.received).toEqual([{ path: '.' }]);
    },
  );

  it('may hold a megabyte', async () => {
    const write = recordingTool('write', z.object({ text: z.string() }));
    const text = 'x'.repeat(1_000_000);

    await resultOf(write, JSON.stringify({ text }));

    expect(write.received).toEqual([{ text }]);
  });

  it('may have keys that JavaScript treats specially', async () => {
    const received: object[] = [];
    const inputSchema = fromJsonSchema<object>({ type: 'object' });
    const set = tool({ name: 'set', inputSchema, execute: (args) => received.push(args) });
    const model = scriptedModel(calls('set', '{"__proto__":{"admin":true},"toString":1}'), 'Done.');

    await new Agent({ model, tools: [set] }).run('Go.');

    expect(Object.keys(present(received[0]))).toEqual(['__proto__', 'toString']);
    expect(Object.getPrototypeOf(received[0])).toBe(Object.prototype);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('may become a value that contains itself', async () => {
    const tree = z.object({ name: z.string() }).transform(({ name }) => {
      const node: { name: string; self?: unknown } = { name };
      node.self = node;
      return node;
    });
    const grow = recordingTool('grow', tree);

    const { part } = await resultOf(grow, { name: 'oak' });

    expect(part).toMatchObject({ kind: 'tool-return' });
    expect(grow.received).toMatchObject([{ name: 'oak' }]);
  });
});

describe('the arguments that a tool receives', () => {
  it('are frozen: a tool that changes them fails, and the history stays as it was', async () => {
    const inputSchema = fromJsonSchema<{ tags: string[] }>({ type: 'object' });
    // TypeScript rejects this; JavaScript accepts it.
    const execute = ({ tags }: { readonly tags: readonly string[] }) =>
      (tags as string[]).push('more');
    const label = tool({ name: 'label', inputSchema, execute });
    const model = scriptedModel(calls('label', { tags: ['a'] }));
    const agent = new Agent({ model, tools: [label] });

    const captured = await captureRunMessages(() => agent.run('Go.'));

    expect(captured).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
    expect(partsOf(captured.messages).at(-1)).toMatchObject({ args: '{"tags":["a"]}' });
  });

  it('belong to its own call, even if two calls have the same id', async () => {
    const write = recordingTool('write', path);
    const twice = responds(
      calls('write', { path: 'a' }, { id: 'same' }),
      calls('write', { path: 'b' }, { id: 'same' }),
    );
    const model = scriptedModel(twice, says('Done.'));

    await new Agent({ model, tools: [write.tool] }).run('Go.');

    expect(write.received).toEqual([{ path: 'a' }, { path: 'b' }]);
    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([
      { kind: 'tool-return', toolCallId: 'same' },
      { kind: 'tool-return', toolCallId: 'same' },
    ]);
  });

  it('do not change the default values of a schema', async () => {
    const shared = { list: { tags: ['a'] } };
    const list = recordingTool('list', z.object({ options: z.unknown().default(() => shared) }));

    await resultOf(list, {});

    expect(Object.isFrozen(shared)).toBe(false);
    expect(Object.isFrozen(shared.list.tags)).toBe(false);
  });

  it('are validated by the schema before the validator receives them', async () => {
    const seen: unknown[] = [];
    const add = tool({
      name: 'add',
      inputSchema: z.object({ n: z.coerce.number() }),
      argsValidator: ({ n }) => {
        seen.push(n);
        if (n < 0) throw new ModelRetry('Only positive numbers.');
      },
      execute: ({ n }) => n + 1,
    });
    const model = scriptedModel(calls('add', { n: 'x' }), calls('add', { n: '3' }), says('4'));

    await new Agent({ model, tools: [add] }).run('Go.');

    expect(seen).toEqual([3]);
    expect(lastPartsOf(sentTo(model, 2))).toMatchObject([{ content: 4 }]);
  });
});
