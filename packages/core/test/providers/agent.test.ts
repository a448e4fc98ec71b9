import { Agent, captureRunMessages, messageCodec, ModelError, nativeOutput, tool } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  responds,
  calls,
  ending,
  fails,
  type ProviderName,
  says,
} from '../support/provider-server.ts';
import { serverForEachTest } from '../support/server-for-each-test.ts';

const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, sky: 'clear' }),
});
const Forecast = z.object({ sky: z.string(), degrees: z.number() });

const providers: ProviderName[] = ['openai-responses', 'openai-chat', 'anthropic'];
const ways = ['run', 'stream'] as const;

const server = serverForEachTest();

describe.each(providers)('an agent on the real client of %s', (provider) => {
  describe.each(ways)('with %s', (way) => {
    it('executes a tool loop', async () => {
      server.script(calls('weather', { city: 'Lisbon' }), says('It is clear.'));
      const agent = new Agent({ model: server.model(provider), tools: [weather] });

      const result = await (way === 'run'
        ? agent.run('Weather?')
        : agent.stream('Weather?').result);

      expect(result.output).toBe('It is clear.');
      expect(result.usage).toMatchObject({ requests: 2, toolCalls: 1 });
      expect(result.usage.inputTokens).toBeGreaterThan(0);
      expect(JSON.stringify(server.requests[1]?.body)).toContain('clear');
      expect(JSON.stringify(server.requests[0]?.body)).toContain('Tells the weather.');
    });

    it('returns structured output through an output tool', async () => {
      server.script(calls('final_result', { sky: 'clear', degrees: 21 }));
      const agent = new Agent({ model: server.model(provider), output: Forecast });

      const result = await (way === 'run'
        ? agent.run('Weather?')
        : agent.stream('Weather?').result);

      expect(result.output).toEqual({ sky: 'clear', degrees: 21 });
    });

    it('returns native structured output', async () => {
      server.script(says('{"sky":"clear","degrees":21}'));
      const agent = new Agent({ model: server.model(provider), output: nativeOutput(Forecast) });

      const result = await (way === 'run'
        ? agent.run('Weather?')
        : agent.stream('Weather?').result);

      expect(result.output).toEqual({ sky: 'clear', degrees: 21 });
      expect(JSON.stringify(server.requests[0]?.body)).toContain('degrees');
    });

    it('fails with a clear error when the provider responds with 500, and keeps its history', async () => {
      server.script(calls('weather', { city: 'Lisbon' }), fails(500, 'Out of order.'));
      const agent = new Agent({ model: server.model(provider), tools: [weather] });

      const captured = await captureRunMessages<unknown>(() =>
        way === 'run' ? agent.run('Weather?') : agent.stream('Weather?').result,
      );

      expect(captured).toMatchObject({
        status: 'rejected',
        reason: { code: 'model-error', status: 500 },
      });
      expect(captured.messages).toHaveLength(3);

      server.script(says('It is clear.'));
      const result = await agent.run(undefined, { messageHistory: captured.messages });
      expect(result.output).toBe('It is clear.');
    });

    it('fails with a clear error when the connection drops', async () => {
      server.script(ending('torn', says('It is cl')));
      const agent = new Agent({ model: server.model(provider) });

      const run = way === 'run' ? agent.run('Weather?') : agent.stream('Weather?').result;

      await expect(run).rejects.toBeInstanceOf(ModelError);
    });
  });
});

describe('thinking signed by Anthropic', () => {
  it.each(ways)(
    'is sent back with its signature after the history was stored as JSON (%s)',
    async (way) => {
      server.script(
        responds(
          { kind: 'thinking', text: 'Let me look.', signature: 'seal-1' },
          { kind: 'call', id: 'call_1', name: 'weather', args: '{"city":"Lisbon"}' },
        ),
        says('It is clear.'),
        says('You are welcome.'),
      );
      const agent = new Agent({
        model: server.model('anthropic'),
        tools: [weather],
        modelSettings: {
          providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
        },
      });
      const first = await (way === 'run' ? agent.run('Weather?') : agent.stream('Weather?').result);

      const messageHistory = messageCodec.parse(messageCodec.stringify(first.messages));
      await agent.run('Thanks.', { messageHistory });

      const thought = { type: 'thinking', thinking: 'Let me look.', signature: 'seal-1' };
      for (const request of server.requests.slice(1)) {
        expect(request.body['messages']).toContainEqual(
          expect.objectContaining({ content: expect.arrayContaining([thought]) }),
        );
      }
      expect(server.requests).toHaveLength(3);
    },
  );
});
