import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const executed: string[] = [];

const lookup = tool({
  name: 'lookup',
  inputSchema: z.object({ name: z.string() }),
  execute: ({ name }) => executed.push(`lookup ${name}`),
});

const calling = (toolName: string, args: Record<string, string>) =>
  functionModel(({ messages }) =>
    messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt' ? calls(toolName, args) : says('Done.'),
  );

const clerk = new Agent({
  name: 'clerk',
  model: calling('lookup', { name: 'ada' }),
  tools: [lookup],
});
const boss = new Agent({
  model: calling('clerk', { prompt: 'Look it up.' }),
  tools: [clerk.asTool({ description: 'Looks people up.' })],
});

describe('onToolCalls', () => {
  it('receives the calls of a run and of its sub-agents before they execute', async () => {
    executed.length = 0;
    const seen: string[] = [];

    await boss.run('go', {
      onToolCalls: async (received) => {
        seen.push(...received.map(({ toolName }) => `${toolName} after ${executed.length}`));
      },
    });

    expect(seen).toEqual(['clerk after 0', 'lookup after 0']);
    expect(executed).toEqual(['lookup ada']);
  });

  it('fails the run if it throws, and nothing executes', async () => {
    executed.length = 0;

    const failing = boss.run('go', {
      onToolCalls: () => {
        throw new Error('Not recorded.');
      },
    });

    await expect(failing).rejects.toThrow('Not recorded.');
    expect(executed).toEqual([]);
  });
});
