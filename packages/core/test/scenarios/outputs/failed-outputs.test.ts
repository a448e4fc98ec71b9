import { Agent, type AgentEvent, ModelRetry, noOutput, tool, toolOutput } from 'holdpoint';
import { calls, responds, says, scriptedModel, type ScriptEntry } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rejectionOf } from '../../support/latch.ts';

const Final = z.object({ value: z.number() });
const final = (value: number, id: string) => calls('final_result', { value }, { id });

/** Returns the kinds of the events of a run about tools, with the ids of their calls, and its error. */
async function toolEvents(
  run: (options: { readonly onEvent: (event: AgentEvent) => void }) => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  const onEvent = (event: AgentEvent) => {
    if ('part' in event && 'toolCallId' in event.part && /^(output-)?tool-/.test(event.kind)) {
      seen.push(`${event.kind} ${event.part.toolCallId}`);
    }
  };
  await run({ onEvent }).catch((error: unknown) => seen.push(String(error)));
  return seen;
}

describe('an output that has no retry left', () => {
  it('has no events, because it has no result', async () => {
    const agent = new Agent({
      model: scriptedModel(final(1, 'a')),
      output: Final,
      retries: 0,
      outputValidators: [
        () => {
          throw new ModelRetry('Never.');
        },
      ],
    });

    expect(await toolEvents((options) => agent.run('Go.', options))).toEqual([
      expect.stringContaining('Never.'),
    ]);
  });

  it('has no events if its validator throws', async () => {
    const agent = new Agent({
      model: scriptedModel(final(1, 'a')),
      output: Final,
      outputValidators: [
        () => {
          throw new RangeError('Too far.');
        },
      ],
    });

    expect(await toolEvents((options) => agent.run('Go.', options))).toEqual([
      'RangeError: Too far.',
    ]);
  });
});

describe('the retries that an output validator sees', () => {
  it('count every failed output of a response', async () => {
    const seen: number[] = [];
    const agent = new Agent({
      model: scriptedModel(responds(final(1, 'a'), final(2, 'b')), final(3, 'c')),
      output: Final,
      outputValidators: [
        (output, ctx) => {
          seen.push(ctx.retry);
          if (output.value < 3) throw new ModelRetry('More.');
          return output;
        },
      ],
    });

    await agent.run('Go.');

    expect(seen).toEqual([0, 0, 2]);
  });
});

describe('the retries of an output', () => {
  it('start again after a valid output that a function retry discarded', async () => {
    const wrong = (id: string) => calls('final_result', { value: 'none' }, { id });
    const agent = new Agent({
      model: scriptedModel(
        wrong('a'),
        responds(final(1, 'b'), calls('picky', {}, { id: 'p' })),
        wrong('c'),
        final(2, 'd'),
      ),
      tools: [
        tool({
          name: 'picky',
          execute() {
            throw new ModelRetry('Not like that.');
          },
        }),
      ],
      output: Final,
    });

    expect((await agent.run('Go.')).output).toEqual({ value: 2 });
  });
});

describe('noOutput beside an output tool', () => {
  const runWith = (...script: ScriptEntry[]) => {
    const model = scriptedModel(...script);
    const Named = toolOutput(Final, { name: 'final_result' });
    return { model, run: new Agent({ model, output: [Named, noOutput] }).run('Go.') };
  };

  it('is offered as a tool with the name that Pydantic AI gives it', async () => {
    const { model, run } = runWith(calls('final_result_NoneType', { value: null }));

    expect((await run).output).toBeNull();
    expect(model.calls[0]?.outputTools.map(({ name }) => name)).toEqual([
      'final_result',
      'final_result_NoneType',
    ]);
  });

  it('rejects a value', async () => {
    const { run } = runWith(calls('final_result_NoneType', { value: 1 }), responds());

    const result = await run;

    expect(result.output).toBeNull();
    expect(result.messages[2]?.parts).toMatchObject([{ kind: 'retry-prompt' }]);
  });
});

describe('a response without output', () => {
  it('passes the output validators', async () => {
    const outputs: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel(responds(), says('Done.')),
      output: [String, noOutput],
      outputValidators: [
        (output) => {
          outputs.push(output);
          if (output === null) throw new ModelRetry('Say something.');
          return output;
        },
      ],
    });

    expect((await agent.run('Go.')).output).toBe('Done.');
    expect(outputs).toEqual([null, 'Done.']);
  });
});

describe('the exhaustive strategy with sequential tools', () => {
  const agentWith = (execute: () => unknown, log: string[] = []) =>
    new Agent({
      model: scriptedModel(responds(calls('alone', {}, { id: 'a' }), final(1, 'o'))),
      tools: [tool({ name: 'alone', sequential: true, execute })],
      output: Final,
      endStrategy: 'exhaustive',
      outputValidators: [
        (output) => {
          log.push('validated');
          return output;
        },
      ],
    });

  it('processes an output after the sequential tool before it', async () => {
    const log: string[] = [];
    const agent = agentWith(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push('executed');
    }, log);

    await agent.run('Go.');

    expect(log).toEqual(['executed', 'validated']);
  });

  it('processes no output after a sequential tool that throws', async () => {
    const log: string[] = [];
    const agent = agentWith(() => {
      throw new RangeError('Too far.');
    }, log);

    expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(RangeError);
    expect(log).toEqual([]);
  });

  it('admits all calls before it processes an output', async () => {
    const alone = toolOutput(Final, { name: 'final_result', sequential: true });
    const agent = new Agent({
      model: scriptedModel(
        responds(calls('f', {}, { id: 'a' }), final(1, 'o'), calls('f', {}, { id: 'b' })),
      ),
      tools: [tool({ name: 'f', execute: () => 'done' })],
      output: alone,
      endStrategy: 'exhaustive',
    });

    expect(await toolEvents((options) => agent.run('Go.', options))).toEqual([
      'tool-call a',
      'tool-call b',
      'tool-result a',
      'tool-result b',
      'output-tool-call o',
      'output-tool-result o',
    ]);
  });
});
