import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { dynamicTool, jsonSchema, tool as aiTool } from 'ai';
import { Agent, DeferredToolRequests, UserError } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Message } from '../../messages/message.ts';
import type { AiSdkTool } from './ai-sdk-tool.ts';
import { fromAiSdkProviderTool, fromAiSdkTool, fromAiSdkTools } from './from-ai-sdk-tools.ts';

const output = [String, DeferredToolRequests] as const;

/** Executes a run in which the model calls a tool once. Returns its result and the tool results. */
async function callIt(source: AiSdkTool, args: Record<string, string | number> = {}) {
  const model = scriptedModel(calls('it', args), says('Done.'));
  const agent = new Agent({ model, tools: [fromAiSdkTool(source, { name: 'it' })], output });
  const result = await agent.run('Go.');
  return { agent, model, result, toolResults: toolResultsIn(result.messages) };
}

function toolResultsIn(messages: readonly Message[]) {
  return messages.flatMap((message) =>
    message.parts.filter((part) => part.kind === 'tool-return' || part.kind === 'retry-prompt'),
  );
}

describe('fromAiSdkTool', () => {
  it('executes with validated arguments and the options of the call', async () => {
    const seen: unknown[] = [];
    const weather = aiTool({
      description: 'Tells the weather.',
      inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
      strict: true,
      execute: ({ city, days }, { toolCallId, messages, abortSignal }) => {
        seen.push({
          city,
          days,
          toolCallId,
          messages,
          isSignal: abortSignal instanceof AbortSignal,
        });
        return { city, sky: 'clear' };
      },
    });

    const { model, toolResults } = await callIt(weather, { city: 'Oslo' });

    expect(model.calls[0]?.functionTools).toMatchObject([
      { name: 'it', description: 'Tells the weather.', strict: true, kind: 'function' },
    ]);
    expect(seen).toEqual([
      {
        city: 'Oslo',
        days: 1,
        toolCallId: 'call-1',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
        isSignal: true,
      },
    ]);
    expect(toolResults).toMatchObject([
      { kind: 'tool-return', content: { city: 'Oslo', sky: 'clear' }, outcome: 'success' },
    ]);
  });

  it('sends a retry prompt for arguments that do not fit the schema', async () => {
    const inputSchema = z.object({ city: z.string() });

    const { toolResults } = await callIt(aiTool({ inputSchema, execute: () => 'ran' }), {
      city: 7,
    });

    expect(toolResults).toMatchObject([{ kind: 'retry-prompt', content: [{ path: ['city'] }] }]);
  });

  it('accepts a schema of the AI SDK, with and without a validator', async () => {
    const json = { type: 'object', properties: { n: { type: 'number' } } } as const;
    const plain = dynamicTool({ inputSchema: jsonSchema(json), execute: (input) => input });
    const checking = aiTool({
      inputSchema: jsonSchema<{ n: number }>(json, {
        validate: (value) =>
          (value as { n: number }).n > 0
            ? { success: true, value: value as { n: number } }
            : { success: false, error: new Error('n is too small') },
      }),
      execute: ({ n }) => n * 2,
    });

    expect((await callIt(plain, { n: -1 })).toolResults).toMatchObject([{ content: { n: -1 } }]);
    expect((await callIt(checking, { n: 4 })).toolResults).toMatchObject([{ content: 8 }]);
    expect((await callIt(checking, { n: -4 })).toolResults).toMatchObject([
      { kind: 'retry-prompt', content: [{ message: 'n is too small' }] },
    ]);
    const { model } = await callIt(plain);
    expect(model.calls[0]?.functionTools[0]?.parametersJsonSchema).toEqual(json);
  });

  it('sends the message of a thrown error to the model', async () => {
    const execute = (): string => {
      throw new Error('No such file.');
    };

    const { toolResults } = await callIt(aiTool({ inputSchema: z.object({}), execute }));

    expect(toolResults).toMatchObject([{ content: 'No such file.', outcome: 'failed' }]);
  });

  it('returns the last value of a stream', async () => {
    const { toolResults } = await callIt(
      aiTool({
        inputSchema: z.object({}),
        async *execute() {
          yield { status: 'working' };
          yield { status: 'done' };
        },
      }),
    );

    expect(toolResults).toMatchObject([{ content: { status: 'done' } }]);
  });

  it('sends the result of toModelOutput to the model', async () => {
    const inputSchema = z.object({});
    const execute = () => ({ secret: 1, image: 'AAAA' });
    const withText = aiTool({
      inputSchema,
      execute,
      toModelOutput: ({ toolCallId }) => ({ type: 'text', value: `Done: ${toolCallId}` }),
    });
    const withImage = aiTool({
      inputSchema,
      execute,
      toModelOutput: ({ output: { image } }) => ({
        type: 'content',
        value: [
          { type: 'text', text: 'Look:' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: image } },
        ],
      }),
    });
    const failing = aiTool({
      inputSchema,
      execute,
      toModelOutput: () => ({ type: 'error-text', value: 'Too dark.' }),
    });

    expect((await callIt(withText)).toolResults).toMatchObject([{ content: 'Done: call-1' }]);
    expect((await callIt(withImage)).toolResults).toMatchObject([
      { content: ['Look:', { kind: 'binary', data: 'AAAA', mediaType: 'image/png' }] },
    ]);
    expect((await callIt(failing)).toolResults).toMatchObject([
      { content: 'Too dark.', outcome: 'failed' },
    ]);
  });

  it('parks a call for which needsApproval returns true', async () => {
    const ran: string[] = [];
    const remove = aiTool({
      inputSchema: z.object({ path: z.string() }),
      needsApproval: ({ path }) => path === '.env',
      execute: ({ path }) => {
        ran.push(path);
        return 'removed';
      },
    });

    expect((await callIt(remove, { path: 'a.txt' })).result.status).toBe('finished');
    const { agent, result } = await callIt(remove, { path: '.env' });
    expect(ran).toEqual(['a.txt']);
    if (result.status !== 'parked') throw new Error('The run did not park.');

    await agent.resume(result, result.output.buildResults({ approveAll: true }));

    expect(ran).toEqual(['a.txt', '.env']);
  });

  it('combines requiresApproval with needsApproval, which it cannot switch off', async () => {
    const source = aiTool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'ran' });
    const plain = aiTool({ inputSchema: z.object({}), execute: () => 'ran' });
    const kindOf = (one: AiSdkTool, requiresApproval: boolean) =>
      fromAiSdkTool(one, { name: 'it', requiresApproval }).definitionAs('it').kind;

    expect(kindOf(source, false)).toBe('unapproved');
    expect(kindOf(plain, true)).toBe('unapproved');
    expect(kindOf(plain, false)).toBe('function');
  });

  it('defers calls to a tool without execute as external', async () => {
    const ask = aiTool({ inputSchema: z.object({ city: z.string() }), outputSchema: z.string() });

    const { result } = await callIt(ask, { city: 'Oslo' });

    expect(result).toMatchObject({
      status: 'parked',
      output: { calls: [{ toolName: 'it', args: '{"city":"Oslo"}' }] },
    });
  });

  it('passes the context to the description and to execute', async () => {
    const greet = aiTool({
      description: ({ context }) => `Greets in ${context.language}.`,
      inputSchema: z.object({}),
      contextSchema: z.object({ language: z.string() }),
      execute: (_, { context }) => context.language,
    });
    const model = scriptedModel(calls('greet'), says('Done.'));
    const tools = [fromAiSdkTool(greet, { name: 'greet', context: { language: 'Norwegian' } })];

    const { messages } = await new Agent({ model, tools }).run('Go.');

    expect(model.calls[0]?.functionTools[0]?.description).toBe('Greets in Norwegian.');
    expect(toolResultsIn(messages)).toMatchObject([{ content: 'Norwegian' }]);
  });

  it('rejects an input schema that it cannot read', () => {
    const made = (inputSchema: unknown) => () =>
      fromAiSdkTool({ inputSchema, execute: () => 1 }, { name: 'it' });

    expect(made({ nothing: true })).toThrow(/input schema of tool `it` is neither/);
    expect(made(jsonSchema(Promise.resolve({ type: 'object' })))).toThrow(/`it` is a promise/);
    expect(made(() => jsonSchema({ type: 'object' }))).not.toThrow();
  });
});

describe('fromAiSdkProviderTool', () => {
  it('converts a tool of a provider to a native tool', () => {
    const search = openai.tools.webSearch({ searchContextSize: 'low' });

    expect(fromAiSdkProviderTool(search, { name: 'search' })).toEqual({
      kind: 'provider',
      id: 'openai.web_search',
      name: 'search',
      args: { searchContextSize: 'low' },
    });
    expect(() => fromAiSdkTool(search, { name: 'search' })).toThrow(UserError);
    expect(() => fromAiSdkTool(search, { name: 'search' })).toThrow(/nativeTools/);
    const plain = aiTool({ inputSchema: z.object({}), execute: () => 1 });
    expect(() => fromAiSdkProviderTool(plain, { name: 'it' })).toThrow(/in `tools` of the agent/);
  });

  it('puts a tool of a provider that has execute in both lists of fromAiSdkTools', async () => {
    const ran: unknown[] = [];
    const { tools, nativeTools } = fromAiSdkTools({
      weather: aiTool({ inputSchema: z.object({}), execute: () => 'clear' }),
      search: openai.tools.webSearch(),
      bash: anthropic.tools.bash_20250124({
        execute: ({ command }) => {
          ran.push(command);
          return 'a.txt';
        },
      }),
    });

    expect(tools.map(({ name }) => name)).toEqual(['weather', 'bash']);
    expect(nativeTools).toMatchObject([
      { id: 'openai.web_search', name: 'search' },
      { id: 'anthropic.bash_20250124', name: 'bash' },
    ]);
    const model = scriptedModel(
      responds(calls('bash', { command: 'ls' }), calls('weather')),
      says('Done.'),
      { supportsNative: ['provider'] },
    );
    const { messages } = await new Agent({ model, tools }).run('Go.');
    expect(ran).toEqual(['ls']);
    expect(toolResultsIn(messages)).toMatchObject([{ content: 'a.txt' }, { content: 'clear' }]);
  });
});
