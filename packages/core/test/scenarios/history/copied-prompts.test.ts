import { Agent, type Message, type Model, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import type { LanguageModelCallOptions } from '../../../src/models/ai-sdk/language-model.ts';
import { fakeLanguageModel } from '../../support/fake-language-model.ts';

const look = tool({ name: 'look', execute: () => 'seen' });

/** A conversation of `length` messages that ends with a response. */
function conversation(length: number): readonly Message[] {
  return Array.from(
    { length },
    (_, index): Message =>
      index % 2 === 0
        ? { kind: 'request', parts: [{ kind: 'user-prompt', content: `Question ${index}` }] }
        : { kind: 'response', parts: [{ kind: 'text', content: `Response ${index}` }] },
  );
}

describe.each([100, 700])('core 0.3: with a history of %i messages', (length) => {
  const messageHistory = conversation(length);

  it('an AI SDK model gets a prompt that later requests do not change', async () => {
    const model = fakeLanguageModel();
    const received: LanguageModelCallOptions[] = [];
    const twoSteps = {
      ...model,
      async doGenerate(options: LanguageModelCallOptions) {
        received.push(options);
        const response = await model.doGenerate(options);
        if (received.length > 1) return response;
        const call = {
          type: 'tool-call',
          toolCallId: 'c1',
          toolName: 'look',
          input: '{}',
        } as const;
        return { ...response, content: [call] };
      },
    };

    await new Agent({ model: twoSteps, tools: [look] }).run('And now?', { messageHistory });

    expect(received.map(({ prompt }) => prompt.length)).toEqual([length + 1, length + 3]);
    expect(received[1]?.prompt.slice(0, length + 1)).toEqual(received[0]?.prompt);
  });

  it('a custom model gets messages that later requests do not change', async () => {
    const received: (readonly Message[])[] = [];
    const scripted = functionModel(() => (received.length === 1 ? calls('look') : says('Done.')));
    const model: Model = {
      name: 'custom',
      system: 'test',
      request(call) {
        received.push(call.messages);
        return scripted.request(call);
      },
    };

    await new Agent({ model, tools: [look] }).run('And now?', { messageHistory });

    expect(received.map((messages) => messages.length)).toEqual([length + 1, length + 3]);
    expect(received.every((messages) => Object.isFrozen(messages))).toBe(true);
  });

  it('a hook around model requests gets messages that later requests do not change', async () => {
    const received: (readonly Message[])[] = [];
    const agent = new Agent({
      model: functionModel(() => (received.length === 1 ? calls('look') : says('Done.'))),
      tools: [look],
      capabilities: [
        {
          name: 'log',
          wrapModelRequest(call, next) {
            received.push(call.messages);
            return next(call);
          },
        },
      ],
    });

    await agent.run('And now?', { messageHistory });

    expect(received.map((messages) => messages.length)).toEqual([length + 1, length + 3]);
  });
});
