import { Agent, type ParallelMode, tool } from 'holdpoint';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const input = z.object({ id: z.string(), ms: z.number() });

/** Executes slow tools, and returns the order of their starts and ends. */
async function run(
  calling: readonly (readonly ['plain' | 'alone', string, number])[],
  parallelMode?: ParallelMode,
) {
  const log: string[] = [];
  const events: unknown[] = [];
  const execute = async ({ id, ms }: z.infer<typeof input>) => {
    log.push(`+${id}`);
    await new Promise((resolve) => setTimeout(resolve, ms));
    log.push(`-${id}`);
    return id;
  };
  const plain = tool({ name: 'plain', inputSchema: input, execute });
  const alone = tool({ name: 'alone', inputSchema: input, execute, sequential: true });
  const toolCalls = calling.map(([name, id, ms]) => calls(name, { id, ms }));
  const agent = new Agent({
    model: scriptedModel(responds(...toolCalls), 'Done.'),
    tools: [plain, alone],
  });

  const result = await agent.run('Go.', {
    parallelMode,
    onEvent: (event) => void (event.kind === 'tool-result' && events.push(event.part.content)),
  });

  const results = result.messages[2]?.parts.map((part) => 'content' in part && part.content);
  return { log: log.join(' '), events, results };
}

describe('the tool calls of one response', () => {
  it('execute concurrently; the model receives the results in the order of its calls', async () => {
    const { log, events, results } = await run([
      ['plain', 'a', 30],
      ['plain', 'b', 1],
      ['plain', 'c', 15],
    ]);

    expect(log).toBe('+a +b +c -b -c -a');
    expect(events).toEqual(['b', 'c', 'a']);
    expect(results).toEqual(['a', 'b', 'c']);
  });

  it('wait for a sequential tool, which waits for those before it', async () => {
    const { log } = await run([
      ['plain', 'a', 15],
      ['plain', 'b', 1],
      ['alone', 'c', 5],
      ['alone', 'd', 1],
      ['plain', 'e', 15],
      ['plain', 'f', 1],
    ]);

    expect(log).toBe('+a +b -b -a +c -c +d -d +e +f -f -e');
  });

  it.each<[ParallelMode, string[]]>([
    ['parallel', ['a', 'invalid', 'c']],
    ['parallel-ordered-events', ['a', 'invalid', 'c']],
    ['sequential', ['a', 'invalid', 'c']],
  ])('wait for a sequential tool, also if its arguments are invalid (%s)', async (mode, order) => {
    const { log, events } = await run(
      [
        ['plain', 'a', 10],
        ['alone', 'invalid', Number.NaN],
        ['plain', 'c', 1],
      ],
      mode,
    );

    expect(log).toBe('+a -a +c -c');
    expect(events.map((one) => (typeof one === 'string' ? one : 'invalid'))).toEqual(order);
  });

  it('are reported in order, those with invalid arguments as well, if the run is set to do so', async () => {
    const { events } = await run(
      [
        ['plain', 'a', 5],
        ['plain', 'invalid', Number.NaN],
        ['plain', 'c', 1],
      ],
      'parallel-ordered-events',
    );

    expect(events.map((one) => (typeof one === 'string' ? one : 'invalid'))).toEqual([
      'a',
      'invalid',
      'c',
    ]);
  });

  it('execute sequentially if the run is set to do so', async () => {
    const { log, events } = await run(
      [
        ['plain', 'a', 10],
        ['plain', 'b', 1],
      ],
      'sequential',
    );

    expect(log).toBe('+a -a +b -b');
    expect(events).toEqual(['a', 'b']);
  });

  it('execute concurrently and are reported in order if the run is set to do so', async () => {
    const { log, events } = await run(
      [
        ['plain', 'a', 15],
        ['plain', 'b', 1],
      ],
      'parallel-ordered-events',
    );

    expect(log).toBe('+a +b -b -a');
    expect(events).toEqual(['a', 'b']);
  });
});
