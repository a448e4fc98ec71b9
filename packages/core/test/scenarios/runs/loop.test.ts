import { Agent, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

describe('an agent', () => {
  it('calls a tool and sends the result to the model', async () => {
    const weather = tool({
      name: 'weather',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => `Sunny in ${city}.`,
    });
    const model = scriptedModel(calls('weather', { city: 'Lisbon' }), says('It is sunny.'));
    const agent = new Agent({ model, tools: [weather] });

    const result = await agent.run('How is the weather in Lisbon?');

    expect(result).toMatchObject({ status: 'finished', output: 'It is sunny.' });
    expect(result.messages.flatMap((message): readonly object[] => message.parts)).toMatchObject([
      { kind: 'user-prompt', content: 'How is the weather in Lisbon?' },
      { kind: 'tool-call', toolName: 'weather', args: '{"city":"Lisbon"}' },
      { kind: 'tool-return', toolName: 'weather', content: 'Sunny in Lisbon.', outcome: 'success' },
      { kind: 'text', content: 'It is sunny.' },
    ]);
    expect(result.usage).toMatchObject({ requests: 2, toolCalls: 1 });
  });
});
