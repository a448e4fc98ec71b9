import { describe, expect, it } from 'vitest';
import type { Message } from '../../messages/message.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import type { JsonSchema, ToolDefinition } from '../tool-definition.ts';
import { modelCall } from './response-draft.ts';
import { TestModel } from './test-model.ts';

function toolOf(
  name: string,
  parametersJsonSchema: JsonSchema = { type: 'object' },
): ToolDefinition {
  return { name, parametersJsonSchema, sequential: false, kind: 'function', deferLoading: false };
}

const firstResponse: Message = { kind: 'response', parts: [{ kind: 'text', content: 'Hm.' }] };
const after = (...parts: RequestPart[]): Message[] => [firstResponse, { kind: 'request', parts }];

const look = toolOf('look', {
  type: 'object',
  properties: { path: { type: 'string' }, depth: { type: 'integer' } },
  required: ['path'],
});
const wait = toolOf('wait');
const person = toolOf('person', {
  type: 'object',
  properties: { age: { type: 'integer', minimum: 18 } },
  required: ['age'],
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('TestModel', () => {
  it('calls every tool once, with valid arguments', async () => {
    const { parts } = await new TestModel().request(modelCall({ functionTools: [look, wait] }));

    expect(parts).toEqual([
      { kind: 'tool-call', toolName: 'look', toolCallId: 'call-1', args: '{"path":"a"}' },
      { kind: 'tool-call', toolName: 'wait', toolCallId: 'call-2', args: '{}' },
    ]);
  });

  it('calls only the tools of callTools', async () => {
    const call = modelCall({ functionTools: [look, wait] });

    expect((await new TestModel({ callTools: ['wait'] }).request(call)).parts).toMatchObject([
      { toolName: 'wait' },
    ]);
    expect((await new TestModel({ callTools: [] }).request(call)).parts).toEqual([
      { kind: 'text', content: 'success (no tool calls)' },
    ]);
    await expect(new TestModel({ callTools: ['gone'] }).request(call)).rejects.toThrow(
      'The option `callTools` contains `gone`, but the tools are: look, wait.',
    );
  });

  it('sends the results of the tools as text', async () => {
    const messages = after(
      {
        kind: 'tool-return',
        toolName: 'look',
        toolCallId: '1',
        content: ['x'],
        outcome: 'success',
      },
      { kind: 'tool-return', toolName: 'wait', toolCallId: '2', content: 'No.', outcome: 'denied' },
    );

    const { parts } = await new TestModel().request(
      modelCall({ messages, functionTools: [look, wait] }),
    );

    expect(parts).toEqual([{ kind: 'text', content: '{"look":["x"],"wait":"No."}' }]);
  });

  it('calls a tool again after a retry prompt', async () => {
    const messages = after(
      {
        kind: 'tool-return',
        toolName: 'wait',
        toolCallId: 'call-2',
        content: 1,
        outcome: 'success',
      },
      { kind: 'retry-prompt', toolName: 'look', toolCallId: 'call-1', content: 'Not this.' },
    );

    const { parts } = await new TestModel().request(
      modelCall({ messages, functionTools: [look, wait] }),
    );

    expect(parts).toMatchObject([{ toolName: 'look', args: '{"path":"a"}' }]);
  });

  it('sends its output again after a retry prompt for the output', async () => {
    const messages = after({ kind: 'retry-prompt', content: 'Please return text.' });

    const { parts } = await new TestModel().request(modelCall({ messages, functionTools: [look] }));

    expect(parts).toMatchObject([{ kind: 'text' }]);
  });

  it('calls an output tool if there is one', async () => {
    const call = modelCall({ outputTools: [wait, person], allowText: false });

    expect((await new TestModel({ seed: 1 }).request(call)).parts).toMatchObject([
      { toolName: 'person', args: '{"age":19}' },
    ]);
    expect((await new TestModel({ customOutputArgs: { x: 1 } }).request(call)).parts).toMatchObject(
      [{ toolName: 'wait', args: '{"x":1}' }],
    );
  });

  it('sends JSON for a native output', async () => {
    const call = modelCall({
      outputSchema: { name: 'person', schema: person.parametersJsonSchema },
    });

    expect((await new TestModel().request(call)).parts).toEqual([
      { kind: 'text', content: '{"age":18}' },
    ]);
    expect(
      (await new TestModel({ customOutputArgs: { age: 40 } }).request(call)).parts,
    ).toMatchObject([{ content: '{"age":40}' }]);
  });

  it('sends customOutputText', async () => {
    const model = new TestModel({ customOutputText: 'Fine.' });

    expect((await model.request(modelCall({ outputTools: [person] }))).parts).toMatchObject([
      { content: 'Fine.' },
    ]);
    await expect(
      model.request(modelCall({ outputTools: [person], allowText: false })),
    ).rejects.toThrow('the run cannot end with text');
  });

  it('rejects customOutputArgs for a text output', async () => {
    await expect(new TestModel({ customOutputArgs: {} }).request(modelCall())).rejects.toThrow(
      'the output of the run is text',
    );
  });

  it('streams text word by word, and calls in one piece', async () => {
    const model = new TestModel();
    const text = await collect(model.stream(modelCall()));
    const call = await collect(model.stream(modelCall({ functionTools: [look] })));

    expect(text).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'text', content: 'success ' } },
      { kind: 'text-delta', index: 0, text: '(no ' },
      { kind: 'text-delta', index: 0, text: 'tool ' },
      { kind: 'text-delta', index: 0, text: 'calls)' },
      { kind: 'part-done', index: 0 },
      { kind: 'finish', modelName: 'test' },
    ]);
    expect(call[0]).toMatchObject({ part: { toolName: 'look', args: '{"path":"a"}' } });
  });

  it('exposes the last request', async () => {
    const model = new TestModel();
    expect(model.lastCall).toBeUndefined();

    await model.request(modelCall({ instructions: 'Be brief.' }));

    expect(model.lastCall?.instructions).toBe('Be brief.');
  });

  it('supports the native tools of supportsNative, and does not call hidden tools', async () => {
    const model = new TestModel({ supportsNative: ['tool-search'] });
    const hidden = { ...look, name: 'hidden', deferLoading: true };
    const nativeTools = [{ kind: 'tool-search' }] as const;

    const response = await model.request(modelCall({ functionTools: [hidden, look], nativeTools }));

    expect(model.supportsNative({ kind: 'tool-search' })).toBe(true);
    expect(model.supportsNative({ kind: 'web-search' })).toBe(false);
    expect(response.parts).toMatchObject([{ toolName: 'look' }]);
    expect(model.lastCall?.nativeTools).toEqual(nativeTools);
  });
});
