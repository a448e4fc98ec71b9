import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, type RunContext, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Gate } from '../support/gate.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA } from '../support/people.ts';

interface Effects {
  readonly started: number[];
  onStart(index: number, signal: AbortSignal): Promise<void>;
}

const MARKS = [
  ['that is not marked', {}],
  ['marked `idempotent`', { idempotent: true }],
  ['marked `readOnly`', { readOnly: true }],
] as const;

/** An agent whose first response calls a sequential tool six times. */
function agentWith(marks: (typeof MARKS)[number][1]) {
  const save = tool({
    name: 'save',
    inputSchema: z.object({ index: z.number() }),
    sequential: true,
    ...marks,
    async execute({ index }, { deps, signal }: RunContext<Effects>) {
      deps.started.push(index);
      await deps.onStart(index, signal);
      return 'saved';
    },
  });
  const model = functionModel(({ messages }) =>
    messages.length === 1
      ? responds(...[0, 1, 2, 3, 4, 5].map((index) => calls('save', { index })))
      : says('Done.'),
  );
  return new Agent({ model, tools: [save], output: [String, DeferredToolRequests] });
}

function deskOf(store: Store, effects: Effects, marks: (typeof MARKS)[number][1] = {}): Desk {
  const agents = { clerk: { agent: agentWith(marks), deps: () => effects } };
  return openDesk({ store, agents });
}

/** The same rows, seen by a process that is not notified of anything. */
function unnotified(store: Store): Store {
  return {
    write: (work, options) => store.write(work, options),
    read: (work, options) => store.read(work, options),
    onDue: () => () => {},
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe.each(STORES)('security M7: after `cancel` %s', (_, open) => {
  it.each(MARKS)('no further call of a tool %s starts', async (_name, marks) => {
    await using opened = await open();
    const cancelled = new Gate();
    const effects: Effects = {
      started: [],
      async onStart(index) {
        if (index === 2) await cancelled.opened;
      },
    };
    const reached = new Gate();
    const onStart = effects.onStart;
    effects.onStart = async (index, signal) => {
      if (index === 2) reached.open();
      await onStart(index, signal);
    };
    const desk = deskOf(opened.store, effects, marks);
    const runId = await desk.start('clerk', 'Save all');
    const working = desk.work({ runId });
    await reached.opened;

    await desk.cancel(runId, { by: ADA });
    cancelled.open();
    await working;

    expect(effects.started).toEqual([0, 1, 2]);
    expect((await desk.run(runId)).state).toBe('cancelled');
  });

  it.each(MARKS)('in another process no further call of a tool %s starts', async (_name, marks) => {
    await using opened = await open();
    const effects: Effects = {
      started: [],
      async onStart(index) {
        if (index === 2) await desk.cancel(runId, { by: ADA });
      },
    };
    const desk = deskOf(opened.store, effects, marks);
    const runId = await desk.start('clerk', 'Save all');

    await deskOf(unnotified(opened.store), effects, marks).work({ runId });

    expect(effects.started).toEqual([0, 1, 2]);
  });

  it('the signal of a call that is executing aborts at once', async () => {
    await using opened = await open();
    const aborted = new Gate();
    const effects: Effects = {
      started: [],
      async onStart(_index, signal) {
        signal.addEventListener('abort', () => aborted.open());
        await desk.cancel(runId, { by: ADA });
        await aborted.opened;
      },
    };
    const desk = deskOf(opened.store, effects);
    const runId = await desk.start('clerk', 'Save all');

    await desk.work({ runId });

    expect(effects.started).toEqual([0]);
  });

  it('no call of a sub-agent starts', async () => {
    await using opened = await open();
    const effects: Effects = {
      started: [],
      async onStart(index) {
        if (index === 1) await desk.cancel(runId, { by: ADA });
      },
    };
    const nested = agentWith({ idempotent: true });
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? responds(calls('clerk', { prompt: 'Save all' })) : says('Done.'),
    );
    const agent = new Agent({
      model,
      tools: [nested.asTool({ name: 'clerk' })],
      output: [String, DeferredToolRequests],
    });
    const desk = openDesk({
      store: opened.store,
      agents: { boss: { agent, deps: () => effects } },
    });
    const runId = await desk.start('boss', 'Have all saved');

    await openDesk({
      store: unnotified(opened.store),
      agents: { boss: { agent, deps: () => effects } },
    }).work({ runId });

    expect(effects.started).toEqual([0, 1]);
  });
});
