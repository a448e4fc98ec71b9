import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../src/messages/message.ts';
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk-model.ts';
import {
  type Model,
  type ModelCall,
  type ModelResponseData,
  streamOf,
} from '../../src/models/model.ts';
import { collectResponse, modelCall, toolDefinition, userRequest } from '../support/model-call.ts';

// An independent implementation of the provider protocols.
describe('a conversation with aimock', () => {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });

  beforeAll(async () => {
    mock.onToolResult('call_1', { content: 'Cold.' });
    mock.onMessage('Oslo', {
      toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } }],
    });
    await mock.start();
  });
  afterAll(() => mock.stop());

  const models: Readonly<Record<string, () => Model>> = {
    'openai-responses': () => aiSdkModel(openai().responses('gpt-5')),
    'openai-chat': () => aiSdkModel(openai().chat('gpt-5')),
    anthropic: () => aiSdkModel(createAnthropic(connection())('claude-sonnet-4-5')),
  };
  const connection = () => ({ baseURL: `${mock.url}/v1`, apiKey: 'test' });
  const openai = () => createOpenAI(connection());

  const modes: Readonly<
    Record<string, (model: Model, call: ModelCall) => Promise<ModelResponseData>>
  > = {
    whole: (model, call) => model.request(call),
    streamed: (model, call) => collectResponse(streamOf(model, call)),
  };

  for (const [provider, connect] of Object.entries(models)) {
    it.each(Object.entries(modes))(
      `${provider}, %s: calls a tool and responds with text`,
      async (_, ask) => {
        const model = connect();
        const functionTools = [toolDefinition()];
        const messages: Message[] = [userRequest('How is Oslo?')];

        const response = await ask(model, modelCall({ messages, functionTools }));
        expect(response.parts).toMatchObject([
          { kind: 'tool-call', toolName: 'weather', toolCallId: 'call_1', args: '{"city":"Oslo"}' },
        ]);

        const result = { toolName: 'weather', toolCallId: 'call_1', content: { degrees: -3 } };
        messages.push(
          { kind: 'response', ...response },
          { kind: 'request', parts: [{ kind: 'tool-return', ...result, outcome: 'success' }] },
        );
        const last = await ask(model, modelCall({ messages, functionTools }));
        expect(last.parts).toMatchObject([{ kind: 'text', content: 'Cold.' }]);
        expect(last.finishReason).toBe('stop');
      },
    );
  }
});
