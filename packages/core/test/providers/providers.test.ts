import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/errors/model-errors.ts';
import type { Message } from '../../src/messages/message.ts';
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk-model.ts';
import { type ModelCall, type ModelResponseData, streamOf } from '../../src/models/model.ts';
import { collectResponse, modelCall, toolDefinition, userRequest } from '../support/model-call.ts';
import {
  responds,
  calls,
  ending,
  fails,
  type ProviderName,
  type ProviderServer,
  says,
  startProviderServer,
} from '../support/provider-server.ts';

const PROVIDERS: readonly ProviderName[] = ['openai-responses', 'openai-chat', 'anthropic'];
const MODES = ['request', 'stream'] as const;

/** Sends a request with a provider's real client, over HTTP. */
function ask(
  server: ProviderServer,
  provider: ProviderName,
  mode: (typeof MODES)[number],
  call: ModelCall,
): Promise<ModelResponseData> {
  const model = aiSdkModel(server.model(provider));
  return mode === 'request' ? model.request(call) : collectResponse(streamOf(model, call));
}

describe.each(PROVIDERS)('%s over HTTP', (provider) => {
  describe.each(MODES)('%s', (mode) => {
    it('returns the text and the usage', async () => {
      await using server = await startProviderServer();
      server.script(says('Good morning.'));

      const response = await ask(server, provider, mode, modelCall({ instructions: 'Be kind.' }));

      expect(response.parts).toMatchObject([{ kind: 'text', content: 'Good morning.' }]);
      expect(response.finishReason).toBe('stop');
      expect(response.providerName).toBe(provider.split('-')[0]);
      expect(response.usage).toMatchObject({
        inputTokens: provider === 'anthropic' ? 16 : 10,
        outputTokens: 7,
        cacheReadTokens: 4,
      });
      expect(JSON.stringify(server.requests[0]?.body)).toContain('Be kind.');
    });

    it('returns tool calls with unchanged arguments', async () => {
      await using server = await startProviderServer();
      server.script(calls('weather', { city: 'Oslo' }));

      const call = modelCall({ functionTools: [toolDefinition()], allowText: false });
      const response = await ask(server, provider, mode, call);

      expect(response.parts).toMatchObject([
        { kind: 'tool-call', toolName: 'weather', toolCallId: 'call_1', args: '{"city":"Oslo"}' },
      ]);
      expect(response.finishReason).toBe('tool_call');
      const { tools, tool_choice } = server.requests[0]?.body ?? {};
      expect(JSON.stringify(tools)).toContain('The weather in a city.');
      expect(tool_choice).toEqual(provider === 'anthropic' ? { type: 'any' } : 'required');
    });

    it('sends the whole conversation back', async () => {
      await using server = await startProviderServer();
      server.script(
        responds(
          { kind: 'text', text: 'Let me look.' },
          { kind: 'call', id: 'call_1', name: 'weather', args: '{"city":"Oslo"}' },
          { kind: 'call', id: 'call_2', name: 'weather', args: '{"city":"Rome"}' },
        ),
        says('Cold and warm.'),
      );
      const first = modelCall({ functionTools: [toolDefinition()] });
      const response = await ask(server, provider, mode, first);

      const messages: Message[] = [
        ...first.messages,
        { kind: 'response', ...response },
        {
          kind: 'request',
          parts: [
            { kind: 'user-prompt', content: 'And hurry.' },
            toolReturn('call_1', 'success', { degrees: -3 }),
            toolReturn('call_2', 'denied', 'Rome is off limits.'),
          ],
        },
      ];
      await ask(server, provider, mode, modelCall({ ...first, messages }));

      expect(secondBody(provider, server)).toEqual(EXPECTED_BODIES[provider]);
    });

    it('requests JSON that matches a schema', async () => {
      await using server = await startProviderServer();
      server.script(says('{"city":"Oslo"}'));
      const schema = toolDefinition().parametersJsonSchema;

      const call = modelCall({ outputSchema: { name: 'place', schema } });
      const response = await ask(server, provider, mode, call);

      expect(response.parts).toMatchObject([{ kind: 'text', content: '{"city":"Oslo"}' }]);
      expect(JSON.stringify(server.requests[0]?.body)).toContain('"city":{"type":"string"}');
    });

    it('reports the failed model, its status and the remedy', async () => {
      await using server = await startProviderServer();
      server.script(fails(500, 'The engine is on fire.'));

      const pending = ask(server, provider, mode, modelCall());

      await expect(pending).rejects.toBeInstanceOf(ModelError);
      await expect(pending).rejects.toMatchObject({
        code: 'model-error',
        status: 500,
        message: expect.stringMatching(/status 500.*The engine is on fire.*Try again/s),
        cause: { name: 'AI_APICallError' },
      });
    });

    it('reports a broken connection', async () => {
      await using server = await startProviderServer();
      server.script(ending('torn', says('This is not the whole')));

      const pending = ask(server, provider, mode, modelCall());

      await expect(pending).rejects.toBeInstanceOf(ModelError);
      await expect(pending).rejects.toMatchObject({
        status: undefined,
        message: expect.stringMatching(mode === 'stream' ? /is incomplete/ : /no valid response/),
      });
    });

    it('disconnects when it is aborted, and throws the abort reason', async () => {
      await using server = await startProviderServer();
      server.script(ending('stalled', says('This takes for ever')));
      const controller = new AbortController();

      const pending = ask(server, provider, mode, modelCall({ signal: controller.signal }));
      await expect.poll(() => server.requests.length).toBe(1);
      const reason = new DOMException('enough', 'AbortError');
      controller.abort(reason);

      await expect(pending).rejects.toBe(reason);
      await server.hungUp;
    });
  });

  it('does not accept a stream that ends early as a complete response', async () => {
    await using server = await startProviderServer();
    server.script(ending('cut', says('This is not the whole')));

    const pending = ask(server, provider, 'stream', modelCall());

    await expect(pending).rejects.toBeInstanceOf(ModelError);
    await expect(pending).rejects.toThrow(/is incomplete: .*connection ended/);
  });

  it('yields chunks as they arrive, and disconnects when the consumer stops', async () => {
    await using server = await startProviderServer();
    server.script(ending('stalled', says('Once upon a time')));
    const model = aiSdkModel(server.model(provider));
    const pieces: string[] = [];

    for await (const event of streamOf(model, modelCall())) {
      if (event.kind === 'part-start' && event.part.kind === 'text')
        pieces.push(event.part.content);
      if (event.kind === 'text-delta') pieces.push(event.text);
      if (pieces.length === 2) break;
    }

    expect(pieces).toEqual(['Once upo', 'n a time']);
    await server.hungUp;
  });

  it('reports a provider that cannot be reached', async () => {
    const server = await startProviderServer();
    const model = aiSdkModel(server.model(provider));
    await server[Symbol.asyncDispose]();

    const pending = model.request(modelCall());

    await expect(pending).rejects.toBeInstanceOf(ModelError);
    await expect(pending).rejects.toThrow(/sent no valid response: .*Cannot connect/);
  });
});

describe.each(MODES)('thinking, in a %s', (mode) => {
  const thought = { kind: 'thinking', text: 'Is it cold?', signature: 'sealed' } as const;
  const scripted = responds(thought, { kind: 'call', id: 'c', name: 'weather', args: '{}' });

  it('is sent back to Anthropic with its signature, also after the history was stored', async () => {
    await using server = await startProviderServer();
    server.script(scripted, says('Yes.'));
    const response = await ask(server, 'anthropic', mode, modelCall());
    expect(response.parts[0]).toMatchObject({ kind: 'thinking', signature: 'sealed' });

    await ask(server, 'anthropic', mode, modelCall({ messages: stored(response) }));

    const sent = server.requests[1]?.body['messages'] as { content: unknown[] }[];
    expect(sent[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Is it cold?', signature: 'sealed' },
      { type: 'tool_use', id: 'c', name: 'weather', input: {} },
    ]);
  });

  it('is sent back to OpenAI encrypted, also after the history was stored', async () => {
    await using server = await startProviderServer();
    server.script(scripted, says('Yes.'));
    const settings = { providerOptions: { openai: { store: false } } };
    const response = await ask(server, 'openai-responses', mode, modelCall({ settings }));

    await ask(
      server,
      'openai-responses',
      mode,
      modelCall({ messages: stored(response), settings }),
    );

    const sent = server.requests[1]?.body['input'] as unknown[];
    expect(sent[1]).toEqual({
      type: 'reasoning',
      id: 'rs_0',
      encrypted_content: 'sealed',
      summary: [{ type: 'summary_text', text: 'Is it cold?' }],
    });
  });

  function stored(response: ModelResponseData): Message[] {
    const messages: Message[] = [
      userRequest('Hello'),
      { kind: 'response', ...response },
      { kind: 'request', parts: [toolReturn('c', 'success', 'cold')] },
    ];
    return JSON.parse(JSON.stringify(messages));
  }
});

function toolReturn(toolCallId: string, outcome: 'success' | 'denied', content: string | object) {
  const part = { kind: 'tool-return', toolName: 'weather', toolCallId, outcome } as const;
  return { ...part, content: content as string }; // JSON either way
}

/** Returns the second request body, without fields that the provider's client adds. */
function secondBody(provider: ProviderName, server: ProviderServer): unknown {
  return server.requests[1]?.body[provider === 'openai-responses' ? 'input' : 'messages'];
}

const EXPECTED_BODIES: Readonly<Record<ProviderName, unknown>> = {
  'openai-responses': [
    { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
    { role: 'assistant', content: 'Let me look.' },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"city":"Rome"}' },
    { type: 'function_call_output', call_id: 'call_1', output: '{"degrees":-3}' },
    { type: 'function_call_output', call_id: 'call_2', output: 'Rome is off limits.' },
    { role: 'user', content: [{ type: 'input_text', text: 'And hurry.' }] },
  ],
  'openai-chat': [
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Oslo"}' },
        },
        {
          id: 'call_2',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Rome"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '{"degrees":-3}' },
    { role: 'tool', tool_call_id: 'call_2', content: 'Rome is off limits.' },
    { role: 'user', content: 'And hurry.' },
  ],
  anthropic: [
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
        { type: 'tool_use', id: 'call_2', name: 'weather', input: { city: 'Rome' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: '{"degrees":-3}' },
        { type: 'tool_result', tool_use_id: 'call_2', content: 'Rome is off limits.' },
        { type: 'text', text: 'And hurry.' },
      ],
    },
  ],
};
