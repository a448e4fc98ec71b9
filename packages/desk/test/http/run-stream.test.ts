import { openDesk, type ServedDesk, sqliteStore, type Store } from '@holdpoint/desk';
import { deskClient, type DeskClient, type RunStreamView } from '@holdpoint/desk/client';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contextOf } from '../../src/desk/desk-reader.ts';
import type { DeskAppOptions } from '../../src/http/desk-app-options.ts';
import { Gate } from '../support/gate.ts';
import { byName, headersOf } from './support/site.ts';

const CARD = '4111-2222-3333';
const opened: ServedDesk[] = [];

afterEach(async () => {
  for (const desk of opened.splice(0)) await desk.close();
});

const charge = tool({
  name: 'charge',
  inputSchema: z.object({ card: z.string() }),
  requiresApproval: true,
  execute: ({ card }) => `Charged ${card}.`,
});

/**
 * Sends text about the charge, calls the tool, and repeats the card number in its last response.
 */
function cashier(pause?: Promise<void>): Agent {
  const model = functionModel(
    ({ messages }) =>
      messages.length === 1
        ? responds(says(`I charge ${CARD}.`), calls('charge', { card: CARD }))
        : says(`Card ${CARD} is charged.`),
    {
      async *stream({ messages }) {
        if (messages.length === 1) {
          yield `I charge ${CARD}.`;
          yield calls('charge', { card: CARD });
          return;
        }
        yield 'Card ';
        await pause;
        yield `${CARD} is charged.`;
      },
    },
  );
  return new Agent({ model, tools: [charge] });
}

interface Opened {
  readonly desk: ServedDesk;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly client: (who: string) => DeskClient;
}

async function site(
  options: Pick<DeskAppOptions, 'authorizeAction' | 'events'> & {
    readonly redact?: Record<string, string[]>;
    readonly pause?: Promise<void>;
    readonly store?: Store;
  } = {},
): Promise<Opened> {
  const { redact, pause, store = await sqliteStore(), ...http } = options;
  const desk = openDesk({
    store,
    agents: { cashier: { agent: cashier(pause) } },
    authorize: byName,
    redact,
    http,
  });
  // The types of outputs do not matter here.
  opened.push(desk);
  const { fetch } = desk;
  const client = (who: string) =>
    deskClient({ url: 'http://desk.test', headers: headersOf(who), fetch });
  return { desk, fetch, client };
}

async function approve(client: DeskClient): Promise<void> {
  const [hold] = (await client.holds()).items;
  await client.decide(hold!.id, { digest: hold!.digest, decision: { kind: 'approve' } });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const request = (runId: string, who: string, lastEventId?: string, query = ''): Request =>
  new Request(`http://desk.test/v1/runs/${runId}/stream${query}`, {
    headers: {
      ...headersOf(who),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  });

/** Reads a body that ends, as frames. */
async function framesOf(response: Response): Promise<Record<string, string>[]> {
  const frames = (await response.text()).trim().split('\n\n');
  return frames.map((frame) =>
    Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2))),
  );
}

function textOf(events: readonly RunStreamView[]): string {
  return events
    .flatMap((event) => (event.kind === 'live' ? [event.event['text'] ?? ''] : []))
    .join('');
}

describe('stream of a run over HTTP', () => {
  it('has live text, stored messages and states, and ends when the run parks or ends', async () => {
    const pause = new Gate();
    const { desk, client } = await site({ pause: pause.opened });
    const ada = client('acme/ada');
    const { id } = await ada.start({ agent: 'cashier', prompt: 'Charge me.' });
    const first = collect(ada.stream(id));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await desk.drain();
    const parked = await first;
    await approve(ada);

    const second: RunStreamView[] = [];
    const reading = (async () => {
      for await (const event of ada.stream(id)) {
        second.push(event);
        if (textOf(second).includes('Card ')) pause.open();
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await desk.drain();
    await reading;

    expect(parked.at(-1)).toMatchObject({ kind: 'state', run: { state: 'parked', openHolds: 1 } });
    expect(messagesOf(parked)).toEqual(['request 0', 'response 1']);
    expect(messagesOf(second)).toEqual(['request 0', 'response 1', 'request 2', 'response 3']);
    expect(second.at(-1)).toMatchObject({
      kind: 'state',
      run: { state: 'finished', output: `Card ${CARD} is charged.` },
    });
    expect(textOf(second)).toContain('Card ');
  });

  it('resumes after `Last-Event-ID`, and has status 204 if nothing follows', async () => {
    const { desk, fetch, client } = await site();
    const ada = client('acme/ada');
    const { id } = await ada.start({ agent: 'cashier', prompt: 'Charge me.' });
    await desk.drain();
    const whole = await framesOf(await fetch(request(id, 'acme/ada')));
    const ids = whole.flatMap((frame) => frame['id'] ?? []);

    const after = await framesOf(await fetch(request(id, 'acme/ada', ids[0])));
    const ended = await fetch(request(id, 'acme/ada', ids.at(-1)));
    const nonsense = await fetch(request(id, 'acme/ada', 'nonsense'));

    expect(whole.map((frame) => frame['event'])).toEqual([
      undefined,
      'message',
      'message',
      'state',
    ]);
    expect(after.slice(1)).toEqual(whole.slice(2));
    expect(ended.status).toBe(204);
    expect(nonsense.status).toBe(400);
    expect(nonsense.headers.get('content-type')).toContain('application/problem+json');
  });

  it('starts again if the messages of the cursor are not those of the run', async () => {
    const { desk, fetch, client } = await site();
    const ada = client('acme/ada');
    const { id } = await ada.start({ agent: 'cashier', prompt: 'Charge me.' });
    await desk.drain();
    const cursor = Buffer.from(JSON.stringify([2, '0123456789abcdef', ''])).toString('base64url');

    const frames = await framesOf(await fetch(request(id, 'acme/ada', cursor)));

    expect(frames.slice(1).map((frame) => frame['event'])).toEqual([
      'rewind',
      'message',
      'message',
      'state',
    ]);
  });

  it('stays open while the run is parked with `continueWhenParked`', async () => {
    const { desk, client } = await site({ events: { pollMs: 20 } });
    const ada = client('acme/ada');
    const { id } = await ada.start({ agent: 'cashier', prompt: 'Charge me.' });
    const states: string[] = [];

    for await (const event of ada.stream(id, { continueWhenParked: true })) {
      if (event.kind !== 'state') continue;
      states.push(event.run.state);
      if (event.run.state === 'ready') void desk.drain();
      if (event.run.state === 'parked') await approve(ada);
    }

    expect(states).toContain('parked');
    expect(states.at(-1)).toBe('finished');
  });

  it('contains no redacted value, and no live events, if the desk redacts', async () => {
    const { desk, fetch, client } = await site({ redact: { charge: ['card'] } });
    const ada = client('acme/ada');
    const { id } = await ada.start({ agent: 'cashier', prompt: `Charge my card.` });
    const reading = fetch(request(id, 'acme/ada', undefined, '?continueWhenParked=true')).then(
      (response) => response.text(),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    await desk.drain();
    await approve(ada);
    await desk.drain();
    const text = await reading;

    expect(text).toContain('[redacted]');
    expect(text).toContain('is charged.');
    expect(text).not.toContain(CARD);
    expect(text).not.toContain('event: live');
  });

  it('has each message after its step if the desk redacts, while the run executes', async () => {
    const pause = new Gate();
    const { desk, client } = await site({ pause: pause.opened, redact: { charge: ['card'] } });
    const ada = client('acme/ada');
    const { id } = await ada.start({ agent: 'cashier', prompt: 'Charge me.' });
    await desk.drain();
    await approve(ada);
    const events: RunStreamView[] = [];
    const reading = (async () => {
      for await (const event of ada.stream(id)) {
        events.push(event);
        // The result of the call arrives while the model writes the next response.
        if (event.kind === 'message' && event.position === 2) pause.open();
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await desk.drain();
    await reading;

    expect(messagesOf(events)).toEqual(['request 0', 'response 1', 'request 2', 'response 3']);
    expect(JSON.stringify(events)).not.toContain(CARD);
    expect(events.at(-1)).toMatchObject({ kind: 'state', run: { state: 'finished' } });
  }, 20_000);

  it('is only for callers who may read the run and its conversation', async () => {
    const { desk, fetch, client } = await site({
      authorizeAction: ({ person }, action, target) =>
        action !== 'read' || target.kind !== 'run' || person.id !== 'eve',
    });
    const { id } = await client('acme/ada').start({ agent: 'cashier', prompt: 'Charge me.' });
    await desk.drain();

    const statuses: number[] = [];
    for (const who of ['acme/ada', 'acme/eve', 'other/ada', '']) {
      const response = await fetch(request(id, who));
      statuses.push(response.status);
      await response.body?.cancel();
    }

    expect(statuses).toEqual([200, 404, 404, 401]);
  });

  it('frees everything when the reader leaves, and counts as an event stream', async () => {
    const { desk, fetch, client } = await site({ events: { perPerson: 2 } });
    const ada = client('acme/ada');
    const { id } = await ada.start({ agent: 'cashier', prompt: 'Charge me.' });
    const { streams } = contextOf(desk);
    const open = [await fetch(request(id, 'acme/ada')), await fetch(request(id, 'acme/ada'))];

    const third = await fetch(request(id, 'acme/ada'));
    const feeds = streams.feedCount;
    for (const { body } of open) await body?.cancel();

    expect(third.status).toBe(429);
    expect(feeds).toBe(1);
    expect(streams.feedCount).toBe(0);
    expect((await fetch(request(id, 'acme/ada', undefined, '?more=1'))).status).toBe(400);
    expect((await fetch(new Request(request(id, 'acme/ada'), { method: 'HEAD' }))).status).toBe(
      200,
    );
  });

  it('reconnects through the client after a lost connection', async () => {
    const { desk, fetch } = await site({ events: { maxStreamMs: 60, pollMs: 10 } });
    const ada = deskClient({ url: 'http://desk.test', headers: headersOf('acme/ada'), fetch });
    const { id } = await ada.start({ agent: 'cashier', prompt: 'Charge me.' });
    const reading = collect(ada.stream(id));
    await new Promise((resolve) => setTimeout(resolve, 150));
    await desk.drain();

    const events = await reading;

    expect(messagesOf(events)).toEqual(['request 0', 'response 1']);
    expect(events.at(-1)).toMatchObject({ kind: 'state', run: { state: 'parked' } });
  });
});

function messagesOf(events: readonly RunStreamView[]): string[] {
  return events.flatMap((event) =>
    event.kind === 'message' ? [`${String(event.message['kind'])} ${event.position}`] : [],
  );
}
