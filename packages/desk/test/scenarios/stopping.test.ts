import { setTimeout as sleep } from 'node:timers/promises';
import { openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Gate } from '../support/gate.ts';
import { STORES } from '../support/opened-store.ts';

const NEVER = new Promise<never>(() => {});
const output = [String, DeferredToolRequests] as const;

/** An agent with a tool that never returns, even if its signal aborts. */
function hangingAgent(onCall: () => void = () => {}) {
  const hang = tool({
    name: 'hang',
    inputSchema: z.object({}),
    execute(): Promise<string> {
      onCall();
      return NEVER;
    },
  });
  const model = functionModel(({ messages }) =>
    JSON.stringify(messages).includes('Hang') ? responds(calls('hang', {})) : says('Hello.'),
  );
  return new Agent({ model, tools: [hang], output });
}

describe.each(STORES)('security L9: a tool that never returns %s', (_, open) => {
  it('frees its worker after `toolTimeout`, and its call is in doubt', async () => {
    await using opened = await open();
    const agents = { clerk: { agent: hangingAgent() } };
    const desk = openDesk({ store: opened.store, agents, toolTimeout: 50 });
    const hanging = await desk.start('clerk', 'Hang');
    const other = await desk.start('clerk', 'Hi');

    await desk.drain();

    expect((await desk.run(other)).state).toBe('finished');
    expect((await desk.run(hanging)).state).toBe('parked');
    const { items } = await desk.holds({ runId: hanging });
    expect(items).toMatchObject([{ toolName: 'hang' }]);
    expect(items[0]?.inDoubt?.reason).toContain('took longer than 50 ms');
  });

  it('is stopped in a sub-agent too, unless the tool or agent has a timeout', async () => {
    await using opened = await open();
    const nested = hangingAgent();
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? responds(calls('clerk', { prompt: 'Hang' })) : says('Done.'),
    );
    const clerk = nested.asTool({ name: 'clerk', timeout: 60_000 });
    const agents = { boss: { agent: new Agent({ model, tools: [clerk], output }) } };
    const desk = openDesk({ store: opened.store, agents, toolTimeout: 50 });
    const runId = await desk.start('boss', 'Go');

    await desk.work({ runId });

    expect((await desk.holds({ runId })).items).toMatchObject([{ toolName: 'hang' }]);
  });

  it('does not keep a worker from stopping: its call is in doubt after the drain time', async () => {
    await using opened = await open();
    const called = new Gate();
    const agents = { clerk: { agent: hangingAgent(() => called.open()) } };
    const desk = openDesk({ store: opened.store, agents });
    const runId = await desk.start('clerk', 'Hang');
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, drainMs: 50 });
    await called.opened;

    stop.abort();
    await working;

    const { state, error } = await desk.run(runId);
    expect({ state, error }).toEqual({ state: 'ready', error: undefined });
    expect((await desk.work({ runId })).state).toBe('parked');
    const [hold] = (await desk.holds({ runId })).items;
    expect(hold?.inDoubt?.reason).toContain('worker was stopped');
  });
});

describe.each(STORES)('desk B21: a worker that is stopped %s', (_, open) => {
  it('aborts its model request, and releases the run at once', async () => {
    await using opened = await open();
    const requested = new Gate();
    let isRequested = false;
    const model = functionModel(async ({ signal }) => {
      if (isRequested) return says('Hello.');
      isRequested = true;
      requested.open();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      return says('Too late.');
    });
    const agents = { clerk: { agent: new Agent({ model, output }) } };
    const desk = openDesk({ store: opened.store, agents });
    const runId = await desk.start('clerk', 'Hi');
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, drainMs: 60_000 });
    await requested.opened;

    stop.abort();
    await working;

    const { state, error } = await desk.run(runId);
    expect({ state, error }).toEqual({ state: 'ready', error: undefined });
    expect((await desk.work({ runId })).output).toBe('Hello.');
  });

  it('does not abort a tool call, and stores its result', async () => {
    await using opened = await open();
    const called = new Gate();
    const released = new Gate();
    const signals: AbortSignal[] = [];
    const pay = tool({
      name: 'hang',
      inputSchema: z.object({}),
      async execute(_args, { signal }) {
        signals.push(signal);
        called.open();
        await released.opened;
        return 'Paid.';
      },
    });
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? responds(calls('hang', {})) : says('Done.'),
    );
    const agents = { clerk: { agent: new Agent({ model, tools: [pay], output }) } };
    const desk = openDesk({ store: opened.store, agents });
    const runId = await desk.start('clerk', 'Pay');
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, drainMs: 60_000 });
    await called.opened;

    stop.abort();
    const isStopped = await Promise.race([working.then(() => true), sleep(20, false)]);
    expect(isStopped).toBe(false);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    released.open();
    await working;

    expect((await desk.run(runId)).state).toBe('ready');
    expect((await desk.work({ runId })).output).toBe('Done.');
    expect(signals).toHaveLength(1);
    const history = await desk.history((await desk.run(runId)).conversationId);
    expect(JSON.stringify(history)).toContain('Paid.');
  });

  it('stops although the application does not return, and leaves the run to others', async () => {
    await using opened = await open();
    const called = new Gate();
    const errors: unknown[] = [];
    let isStuck = true;
    const deps = async () => {
      called.open();
      if (isStuck) await NEVER;
    };
    const agents = { clerk: { agent: hangingAgent(), deps } };
    const onError = (error: unknown) => errors.push(error);
    const desk = openDesk({ store: opened.store, agents, onError, lease: 1_000 });
    const runId = await desk.start('clerk', 'Hi');
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, drainMs: 20 });
    await called.opened;

    stop.abort();
    await working;

    expect(String(errors.at(-1))).toContain('1 task');
    isStuck = false;
    opened.clock.advance(1_001);
    expect((await desk.work({ runId })).state).toBe('finished');
  });
});
