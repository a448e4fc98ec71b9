import { calls, says } from 'holdpoint/testing';
import { chatHandler, type ChatListener } from 'holdpoint/ai-sdk-ui';
import { describe, expect, it } from 'vitest';
import { present } from '../support/present.ts';
import {
  authorize,
  chatWith,
  decide,
  janitor,
  requestedApprovals,
  say,
  storedServer,
} from './support.ts';

const address = 'http://chat.test/api/chat/chat-1/changes';

/** Opens the changes of a chat. */
async function open(send: (request: Request) => Promise<Response>, user = 'ada') {
  const response = await send(new Request(address, { headers: { 'x-user': user } }));
  const reader = present(response.body).getReader();
  const decoder = new TextDecoder();
  const next = async () => {
    const { value, done } = await reader.read();
    return done ? 'end' : decoder.decode(value).trim();
  };
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(await next()).toBe('retry: 2000');
  return { next, leave: () => reader.cancel() };
}

describe('the changes of a chat', () => {
  it('begin with one event, and have one when a response starts and one when it ends', async () => {
    const { agent } = janitor([calls('delete_file', { path: 'a' }), says('Done.')]);
    const server = storedServer(agent);
    const page = await open(server.send);
    const stranger = await open(server.send, 'eve');
    expect([await page.next(), await stranger.next()]).toEqual(['data: {}', 'data: {}']);
    const chat = chatWith(server);

    for (const turn of [
      () => say(chat, 'Delete a.'),
      () => decide(chat, present(requestedApprovals(chat)[0]), true),
    ]) {
      const started = page.next();
      await turn();
      expect(await started).toBe('data: {}');
      expect(await page.next()).toBe('data: {}');
    }

    // Conversations of other users are no changes.
    const waiting = Promise.race([
      stranger.next(),
      new Promise((resolve) => {
        setTimeout(resolve, 50, 'none');
      }),
    ]);
    expect(await waiting).toBe('none');
    await page.leave();
    await stranger.leave();
  });

  it('merge into one event for a client that does not read', async () => {
    const { agent } = janitor([says('One.'), says('Two.')]);
    const server = storedServer(agent);
    const page = await open(server.send);
    const chat = chatWith(server);
    await say(chat, 'One.');
    await say(chat, 'Two.');

    expect(await page.next()).toBe('data: {}');
    const second = await Promise.race([
      page.next(),
      new Promise((resolve) => {
        setTimeout(resolve, 50, 'none');
      }),
    ]);
    expect(second).toBe('none');
    await page.leave();
  });

  it('are those of the backend, stop when the client leaves, and end with the backend', async () => {
    const listeners = new Set<ChatListener>();
    const handle = chatHandler({
      authorize,
      backend: {
        open: () => Promise.reject(new Error('Nothing is opened.')),
        async watch(_access, listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    });
    const leaving = await open(handle);
    const staying = await open(handle);
    expect([await leaving.next(), await staying.next()]).toEqual(['data: {}', 'data: {}']);
    await leaving.leave();
    expect(listeners.size).toBe(1);

    const next = staying.next();
    for (const { onChange } of listeners) onChange();
    expect(await next).toBe('data: {}');
    const last = staying.next();
    for (const { onEnd } of listeners) onEnd();
    expect(await last).toBe('end');
    expect(listeners.size).toBe(0);
  });

  it('have an error status if the backend fails, and are rejected without access', async () => {
    const errors: unknown[] = [];
    const failed = new Error('The store failed.');
    const handle = chatHandler({
      authorize,
      onError: (error) => errors.push(error),
      backend: {
        open: () => Promise.reject(failed),
        watch: () => Promise.reject(failed),
      },
    });
    const statusFor = async (user: string) =>
      (await handle(new Request(address, { headers: { 'x-user': user } }))).status;

    expect(await statusFor('ada')).toBe(500);
    expect(await statusFor('stranger')).toBe(403);
    expect(errors).toEqual([failed]);
  });

  it('cannot be those of a chat whose id is a part of the addresses', async () => {
    const { agent } = janitor([says('Hello.')]);
    const message = { id: 'p', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] };

    const response = await storedServer(agent).post({ id: 'changes', messages: [message] });

    expect(response.status).toBe(400);
    expect(await response.text()).toContain('`changes` is reserved');
  });
});
