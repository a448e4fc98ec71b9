import { Agent, tool } from 'holdpoint';
import { agUiHandler } from 'holdpoint/ag-ui';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { latch } from '../support/latch.ts';
import { authorize, Conversations, janitor } from '../ai-sdk-ui/support.ts';
import { input, say, storedThreads } from './support.ts';

const messages = [{ id: 'u', role: 'user', content: 'Wait.' }];

const request = () =>
  new Request('http://agent.test/agent', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user': 'ada' },
    body: JSON.stringify(input({ messages })),
  });

/** A handler whose run waits until the test continues it, or until it is stopped. */
function waiting(onDisconnect?: 'stop') {
  const started = latch();
  const proceed = latch();
  const stopped = latch();
  const wait = tool({
    name: 'wait',
    inputSchema: z.object({}),
    async execute(_, ctx) {
      ctx.signal.addEventListener('abort', () => stopped.open());
      started.open();
      await Promise.race([proceed.opened, stopped.opened]);
      return 'waited';
    },
  });
  const agent = new Agent({
    model: scriptedModel(calls('wait', {}), says('Done.')),
    tools: [wait],
  });
  const { load, save, stored } = new Conversations();
  const saved = latch();
  const handle = agUiHandler({
    agent,
    authorize,
    load,
    save: (access, history) => {
      save(access, history);
      saved.open();
    },
    ...(onDisconnect && { onDisconnect }),
  });
  return { handle, stored, started, proceed, stopped, saved };
}

describe('agUiHandler', () => {
  it('continues a run whose client disconnects, and stores it', async () => {
    const { handle, stored, started, proceed, saved } = waiting();
    const response = await handle(request());
    await started.opened;

    await response.body?.cancel();
    proceed.open();
    await saved.opened;

    expect(stored.get('ada/thread-1')).toContain('Done.');
  });

  it('stops a run whose client disconnects if the application enables it', async () => {
    const { handle, started, stopped } = waiting('stop');
    const response = await handle(request());
    await started.opened;

    await response.body?.cancel();

    await expect(stopped.opened).resolves.toBeUndefined();
  });

  it('rejects a second request while a run executes', async () => {
    const { handle, started, proceed } = waiting();
    const first = await handle(request());
    await started.opened;

    expect((await handle(request())).status).toBe(409);
    proceed.open();
    expect(await first.text()).toContain('RUN_FINISHED');
  });

  it('ignores the tools of clients with `clientTools: false`', async () => {
    const { agent } = janitor([says('Hello.')]);
    const server = storedThreads(agent, { clientTools: false });

    // The run would reject a tool with the name of another tool.
    await say(server.client(), 'Hi', { tools: [{ name: 'delete_file', description: '' }] });

    expect(server.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: 'Hello.' });
  });

  it('merges new messages of the user, with their files', async () => {
    const { agent } = janitor([says('Nice.')]);
    const server = storedThreads(agent);
    const source = { type: 'data', value: 'aGk=', mimeType: 'image/png' };
    const parts = [
      { type: 'text', text: 'Look:' },
      { type: 'image', source },
    ];

    await server.post(
      input({
        messages: [
          { id: 'u1', role: 'user', content: 'Hello.' },
          { id: 'u2', role: 'user', content: parts },
        ],
      }),
    );

    const { messages: shown } = await (await server.snapshot()).json();
    expect(shown[0]).toMatchObject({
      id: 'u2',
      content: [{ text: 'Hello.' }, { text: 'Look:' }, { type: 'image', source }],
    });
  });

  it('rejects mistakes in its options', () => {
    const { agent } = janitor([]);
    const { load, save } = new Conversations();
    // Callers without types can pass any options.
    const create = (options: object) => () => agUiHandler(options as never);

    expect(create({ agent, load, save })).toThrow('Pass `authorize` to `agUiHandler`');
    expect(create({ agent, authorize })).toThrow('need one storage');
    expect(create({ agent, authorize, load, save, tools: [] })).toThrow('`tools`');
    expect(create({ agent, authorize, load, save, clientTools: 'no' })).toThrow('`clientTools`');
  });
});
