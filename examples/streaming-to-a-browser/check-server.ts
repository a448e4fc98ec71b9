// A client that uses the code of the page and checks the server.
import assert from 'node:assert/strict';
import { words } from './agent.ts';
import type { Ending } from './chat.ts';
import { readEvents, type ServerEvent, toResults } from './public/read-events.js';

interface Log {
  readonly endings: readonly Ending[];
  nextEnding(): Promise<unknown>;
}

export async function checkServer(url: string, log: Log): Promise<void> {
  const send = (body: object, init: RequestInit = {}) =>
    fetch(`${url}/chat`, { ...init, method: 'POST', body: JSON.stringify(body) });

  await checkPage(url);
  await checkText(send);
  await checkApproval(send);
  await checkStop(send, log);
  assert.deepEqual(
    log.endings.filter((ending) => ending !== 'failed'),
    ['finished', 'parked', 'finished', 'stopped'],
  );
}

type Send = (body: object, init?: RequestInit) => Promise<Response>;

async function checkPage(url: string): Promise<void> {
  const page = await fetch(url);
  assert.match(await page.text(), /<button id="stop"/);
  const script = await fetch(`${url}/page.js`);
  assert.match(await script.text(), /readEvents/);
  const elsewhere = await fetch(`${url}/agent.ts`);
  assert.match(await elsewhere.text(), /nothing here/);
}

async function checkText(send: Send): Promise<void> {
  const events = await eventsOf(await send({ prompt: 'What is a hold point?' }));

  assert.deepEqual(events.slice(0, 2), [
    { name: 'tool', data: { name: 'look_up', state: 'runs' } },
    { name: 'tool', data: { name: 'look_up', state: 'success' } },
  ]);
  const pieces = events.flatMap(({ name, data }) => (name === 'text' ? [data] : []));
  assert.ok(pieces.length > 1, 'piece by piece');
  assert.equal(pieces.join(''), 'a place where work waits');
  assert.deepEqual(events.at(-1), { name: 'done', data: {} });
}

async function checkApproval(send: Send): Promise<void> {
  const parked = (await eventsOf(await send({ prompt: 'Add the word permit.' }))).at(-1);
  assert.ok(parked?.name === 'parked');
  const { token, requests } = parked.data;
  assert.deepEqual(
    requests.map(({ preview }) => preview),
    ['All readers will find “permit: a leave to run”.'],
  );

  // Invalid requests are rejected with a status, before any event.
  const results = toResults(requests, true);
  await rejects(await send({ prompt: '' }), 400);
  await rejects(await send({ token: `${token}x`, results }), 400);
  await rejects(await send({ token, results: { ...results, approvals: {} } }), 400);
  await rejects(await send({ token, results: { yes: true } }), 400);
  assert.ok(!words.has('permit'));

  const events = await eventsOf(await send({ token, results }));
  assert.deepEqual(events.at(-1), { name: 'done', data: {} });
  assert.equal(words.get('permit'), 'a leave to run');

  // A second click, or a copy of the token.
  await rejects(await send({ token, results }), 409);
}

/** The script counts without an end; the reader presses stop. */
async function checkStop(send: Send, { nextEnding }: Log): Promise<void> {
  const ended = nextEnding();
  const stop = new AbortController();
  const response = await send({ prompt: 'Count.' }, { signal: stop.signal });

  const reading = async () => {
    let pieces = 0;
    for await (const { name } of readEvents(response)) {
      if (name === 'text' && ++pieces === 3) stop.abort();
    }
  };
  await assert.rejects(reading, { name: 'AbortError' });
  await ended;
}

async function eventsOf(response: Response): Promise<ServerEvent[]> {
  assert.equal(response.status, 200);
  const events: ServerEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

async function rejects(response: Response, status: number): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.match(text, /"error":".+"/);
}
