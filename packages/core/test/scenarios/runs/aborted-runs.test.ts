import { getEventListeners } from 'node:events';
import { Agent, captureRunMessages, outputFunction, tool } from 'holdpoint';
import type { ModelStreamEvent } from 'holdpoint/models';
import {
  calls,
  functionModel,
  responds,
  type ResponseDraft,
  says,
  scriptedModel,
} from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, partsOf, problemsOf, sentTo } from '../../support/conversation.ts';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';

const reason = new Error('Somebody pressed stop.');
const quick = tool({ name: 'quick', execute: () => 'quick' });
const hangs = tool({ name: 'hangs', execute: never });

/** Aborts a run when all pending work has settled; returns its outcome. */
async function abort(start: (signal: AbortSignal) => Promise<unknown>) {
  const controller = new AbortController();
  const capturing = captureRunMessages(() => start(controller.signal));
  await settled();
  controller.abort(reason);
  const error = await rejectionOf(
    capturing.then((captured) => {
      if (captured.status === 'rejected') throw captured.reason;
    }),
  );
  const { messages } = await capturing;
  return { error, messages, listeners: getEventListeners(controller.signal, 'abort').length };
}

describe('a run whose signal aborts', () => {
  it('before it starts, sends no model request', async () => {
    const model = scriptedModel(says('Hello.'));

    const error = await rejectionOf(
      new Agent({ model }).run('Go.', { signal: AbortSignal.abort(reason) }),
    );

    expect(error).toBe(reason);
    expect(model.calls).toEqual([]);
  });

  it('during a model request, ends at once and keeps the request', async () => {
    const agent = new Agent({ model: functionModel(never) });

    const { error, messages, listeners } = await abort((signal) => agent.run('Go.', { signal }));

    expect(error).toBe(reason);
    expect(partsOf(messages)).toMatchObject([{ kind: 'user-prompt', content: 'Go.' }]);
    expect(listeners).toBe(0);
  });

  it('aborts the signal of the model', async () => {
    let seen: AbortSignal | undefined;
    const model = functionModel((call) => {
      seen = call.signal;
      return never();
    });

    await abort((signal) => new Agent({ model }).run('Go.', { signal }));

    expect(seen?.reason).toBe(reason);
  });

  it('while tools execute, ends at once, even if a tool ignores the signal', async () => {
    const model = scriptedModel(responds(calls('quick'), calls('hangs')));
    const agent = new Agent({ model, tools: [quick, hangs] });

    const { error, messages, listeners } = await abort((signal) => agent.run('Go.', { signal }));

    expect(error).toBe(reason);
    expect(messages.at(-1)).toMatchObject({
      state: 'interrupted',
      parts: [{ toolName: 'quick', outcome: 'success' }],
    });
    expect(listeners).toBe(0);
  });

  it('aborts the signal of each tool, with the same reason', async () => {
    const reasons: unknown[] = [];
    const listens = tool({
      name: 'listens',
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          });
        }),
    });
    const model = scriptedModel(responds(calls('listens'), calls('listens')));

    const { error } = await abort((signal) =>
      new Agent({ model, tools: [listens] }).run('Go.', { signal }),
    );

    expect(error).toBe(reason);
    expect(reasons).toEqual([reason, reason]);
  });

  it('after tools finished and before the next request keeps their results', async () => {
    const controller = new AbortController();
    const model = scriptedModel(calls('quick'), says('Done.'));
    const run = new Agent({ model, tools: [quick] }).iter('Go.', { signal: controller.signal });

    const aborting = (async () => {
      let tookTools = false;
      for await (const step of run) {
        if (step.kind === 'request-model' && tookTools) controller.abort(reason);
        tookTools ||= step.kind === 'call-tools';
      }
    })();

    expect(await rejectionOf(aborting)).toBe(reason);
    expect(run.messages.at(-1)).toMatchObject({
      state: 'interrupted',
      parts: [{ kind: 'tool-return', toolName: 'quick', content: 'quick' }],
    });
    expect(model.calls).toHaveLength(1);
  });

  it('between two steps of an iterator, takes no further step', async () => {
    const controller = new AbortController();
    const ran: string[] = [];
    const works = tool({ name: 'works', execute: () => ran.push('works') });
    const model = scriptedModel(calls('works'), says('Done.'));
    const agent = new Agent({ model, tools: [works] });
    const run = agent.iter('Go.', { signal: controller.signal });
    await run.next();
    expect((await run.next()).value).toMatchObject({ kind: 'call-tools' });

    controller.abort(reason);

    expect(await rejectionOf(run.next())).toBe(reason);
    expect(ran).toEqual([]);
    expect(run.messages).toHaveLength(2);
  });

  const slowTool = (name: string, options: object) =>
    tool({ name, execute: () => 'done', ...options });
  const output = outputFunction({ inputSchema: z.object({}), execute: never });

  it.each<[string, object, ResponseDraft]>([
    ['a validator of arguments', { tools: [slowTool('a', { argsValidator: never })] }, calls('a')],
    ['the preparation of a tool', { tools: [slowTool('a', { prepare: never })] }, calls('a')],
    ['instructions', { instructions: never }, says('Hi.')],
    ['a system prompt', { systemPrompt: never }, says('Hi.')],
    ['a history processor', { historyProcessors: [never] }, says('Hi.')],
    ['an output validator', { outputValidators: [never] }, says('Hi.')],
    ['an output function', { output }, calls('final_result')],
  ])('while it awaits %s, ends at once', async (_what, options, script) => {
    const agent = new Agent({ model: scriptedModel(script), ...options });

    const { error } = await abort((signal) => agent.run('Go.', { signal }));

    expect(error).toBe(reason);
  });
});

describe('a stream whose signal aborts', () => {
  /** Streams two pieces of text, and then waits for the test. */
  function storyteller(more: Promise<unknown>) {
    return functionModel(() => 'unused', {
      async *stream(): AsyncGenerator<string | ModelStreamEvent> {
        yield 'Once upon ';
        yield 'a time';
        await more;
        yield ' there was a late word';
      },
    });
  }

  it('keeps the text so far in a response marked as interrupted', async () => {
    const agent = new Agent({ model: storyteller(never()) });

    const { error, messages, listeners } = await abort(
      (signal) => agent.stream('Go.', { signal }).result,
    );

    expect(error).toBe(reason);
    expect(messages.at(-1)).toMatchObject({
      kind: 'response',
      state: 'interrupted',
      parts: [{ kind: 'text', content: 'Once upon a time' }],
    });
    expect(listeners).toBe(0);
  });

  it('leaves a conversation that can continue', async () => {
    const agent = new Agent({ model: storyteller(never()) });
    const { messages } = await abort((signal) => agent.stream('Go.', { signal }).result);
    const model = scriptedModel(says('there was a king.'));

    await agent.run('Go on.', { messageHistory: messages, model });

    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(partsOf(sentTo(model))).toMatchObject([
      { content: 'Go.' },
      { content: 'Once upon a time' },
      { content: 'Go on.' },
    ]);
  });

  it('emits no later events', async () => {
    const more = latch();
    const heard: unknown[] = [];
    const agent = new Agent({ model: storyteller(more.opened) });
    const onEvent = (event: unknown) => void heard.push(event);
    const { messages } = await abort((signal) => agent.stream('Go.', { signal, onEvent }).result);
    const before = { heard: [...heard], messages: [...messages] };

    more.open();
    await settled();

    expect({ heard, messages }).toEqual(before);
  });

  it('drops an incomplete tool call, and cancels a complete one', async () => {
    const model = functionModel(() => 'unused', {
      async *stream(): AsyncGenerator<ModelStreamEvent> {
        const call = { kind: 'tool-call', toolName: 'quick' } as const;
        yield { kind: 'part-start', index: 0, part: { ...call, toolCallId: 'whole', args: '{}' } };
        yield { kind: 'part-done', index: 0 };
        yield { kind: 'part-start', index: 1, part: { ...call, toolCallId: 'half', args: '{"a' } };
        await never();
      },
    });
    const agent = new Agent({ model, tools: [quick] });
    const { messages } = await abort((signal) => agent.stream('Go.', { signal }).result);
    const next = scriptedModel(says('Fine.'));

    await agent.run('Never mind.', { messageHistory: messages, model: next });

    expect(lastPartsOf(messages)).toMatchObject([{ toolCallId: 'whole' }]);
    expect(problemsOf(sentTo(next))).toEqual([]);
    expect(lastPartsOf(sentTo(next))).toMatchObject([
      { toolCallId: 'whole', outcome: 'interrupted' },
      { content: 'Never mind.' },
    ]);
  });
});

describe('a loop over the steps of a run that ends early', () => {
  it('ends the run: nothing executes afterwards, and no steps follow', async () => {
    const model = scriptedModel(calls('quick'), says('Done.'));
    const run = new Agent({ model, tools: [quick] }).iter('Go.');

    for await (const step of run) if (step.kind === 'call-tools') break;

    expect(await run.next()).toEqual({ done: true, value: undefined });
    expect(model.calls).toHaveLength(1);
  });

  it('never starts the run when it ends before the first step', async () => {
    const model = scriptedModel(says('Done.'));
    const run = new Agent({ model }).iter('Go.');

    await run.return();

    expect(await run.next()).toEqual({ done: true, value: undefined });
    expect(model.calls).toHaveLength(0);
  });
});
