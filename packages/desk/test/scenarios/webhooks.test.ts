import { sqliteStore, openDesk, type DeskEvent, type Store } from '@holdpoint/desk';
import { verifyWebhook } from '@holdpoint/desk/webhooks';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { onlyHold, decide } from '../support/people.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const A_DAY = 24 * 60 * 60_000;

type Options = Omit<Parameters<typeof openDesk>[0], 'store' | 'agents'>;

function deskWith(store: Store, options: Options) {
  const agents = { teller: { agent: teller, deps: () => newBank() } };
  return { desk: openDesk({ store, agents, ...options }) };
}

const typesOf = ({ received }: Receiver) =>
  received.map(({ body }) => JSON.parse(body).type as string);

/** Lets time go by until nothing is left to be done. */
async function letTimePass(
  { clock }: OpenedStore,
  desk: { drain(): Promise<number> },
  rounds: number,
  step: number,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await desk.drain();
    clock.advance(step);
  }
  await desk.drain();
}

describe.each(STORES)('webhooks %s', (_, open) => {
  it('deliver signed events with ids and kinds, and nothing else', async () => {
    await using opened = await open();
    await using receiver = await openReceiver('/hooks?key=1');
    const webhooks = [{ url: receiver.url, secret: SECRET }];
    const { desk } = deskWith(opened.store, { webhooks });

    const runId = await desk.start('teller', 'pay secretshop', { requester: { id: 'ada' } });
    await desk.drain();
    const hold = await onlyHold(desk, runId);
    await decide(desk, hold, { kind: 'deny', reason: 'a secret reason' });
    await desk.drain();

    expect(typesOf(receiver).toSorted()).toEqual(
      ['hold-opened', 'hold-settled', 'run-finished', 'run-started'].toSorted(),
    );
    const { items } = await desk.events();
    for (const received of receiver.received) {
      expect(received).toMatchObject({ method: 'POST', path: '/hooks?key=1' });
      expect(received.body).not.toMatch(/secret/);
      const event = await verifyWebhook(receiver.asRequest(received), SECRET);
      const row = items.find(({ id }) => id === event.id);
      expect(row).toMatchObject({ kind: event.kind, at: event.at, runId });
      expect(event).toMatchObject({ tenant: 'default', runId });
    }
    const opening = receiver.received.find(({ body }) => body.includes('hold-opened'));
    expect(JSON.parse(opening?.body ?? '')).toEqual({
      type: 'hold-opened',
      timestamp: expect.stringMatching(/^20\d\d-.*Z$/),
      data: { tenant: 'default', runId, holdId: hold.id, holdKind: 'approval' },
    });
    for (const { id, deliveredAt } of items) {
      expect(deliveredAt).toBeDefined();
      expect(await desk.deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    }
  });

  it('are delivered to each receiver even if others fail', async () => {
    await using opened = await open();
    await using fine = await openReceiver();
    await using broken = await openReceiver();
    await using picky = await openReceiver();
    broken.response = { status: 500 };
    const notified: DeskEvent['kind'][] = [];
    let notifyFails = true;
    const { desk } = deskWith(opened.store, {
      webhooks: [
        { url: fine.url, secret: SECRET },
        { url: broken.url, secret: SECRET },
        { url: picky.url, secret: SECRET, kinds: ['hold-opened'] },
      ],
      notify({ kind }) {
        if (notifyFails) throw new Error('not now');
        notified.push(kind);
      },
    });

    await desk.start('teller', 'pay acme');
    await desk.drain();

    expect(typesOf(fine)).toEqual(expect.arrayContaining(['run-started', 'hold-opened']));
    expect(typesOf(picky)).toEqual(['hold-opened']);
    expect(notified).toEqual([]);
    const deliveredBefore = typesOf(fine).length;
    notifyFails = false;
    broken.response = { status: 200 };
    await letTimePass(opened, desk, 5, 10_000);

    expect(notified.toSorted()).toEqual(['hold-opened', 'run-started']);
    expect(typesOf(fine)).toHaveLength(deliveredBefore);
    expect(typesOf(picky)).toHaveLength(1);
    const ids = new Set(broken.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(2);
    expect(broken.received.length).toBeGreaterThan(2);
  });

  it('are given up after ten attempts, which the delivery and the audit record', async () => {
    await using opened = await open();
    await using dead = await openReceiver('/a-secret-path');
    dead.response = { status: 503 };
    const errors: unknown[] = [];
    const { desk } = deskWith(opened.store, {
      webhooks: [{ url: dead.url, secret: SECRET, kinds: ['hold-opened'] }],
      onError: (error) => errors.push(error),
    });
    const runId = await desk.start('teller', 'pay acme');

    await letTimePass(opened, desk, 14, 0.4 * A_DAY);

    expect(dead.received).toHaveLength(10);
    const { items } = await desk.events();
    const { id = '' } = items.find(({ kind }) => kind === 'hold-opened') ?? {};
    const host = new URL(dead.url).host;
    expect(await desk.deliveries(id)).toMatchObject([
      { state: 'given-up', attempts: 10, host, problem: 'The receiver responded with status 503.' },
    ]);
    expect((await desk.audit(runId)).at(-1)).toMatchObject({
      kind: 'webhook-given-up',
      data: { eventId: id, host, attempts: 10 },
    });
    expect(String(errors)).toMatch(/was given up/);
    expect(String(errors)).not.toMatch(/a-secret-path/);
    await letTimePass(opened, desk, 3, A_DAY);
    expect(dead.received).toHaveLength(10);
  });

  it('are given up at once if the receiver responds with 410', async () => {
    await using opened = await open();
    await using gone = await openReceiver();
    gone.response = { status: 410 };
    const { desk } = deskWith(opened.store, { webhooks: [{ url: gone.url, secret: SECRET }] });

    await desk.start('teller', 'Hello');
    await letTimePass(opened, desk, 3, A_DAY);

    const { items } = await desk.events();
    expect(gone.received.length).toBe(items.length);
  });

  it('are delivered again with the same id if their delivery was not recorded', async () => {
    await using opened = await open();
    await using first = await openReceiver();
    await using second = await openReceiver();
    let isFailing = true;
    // It fails once, right after the first receiver was notified.
    const failing: Store = Object.assign(Object.create(opened.store), {
      read: (work: never, options: never) => opened.store.read(work, options),
      onDue: (listener: () => void) => opened.store.onDue(listener),
      write(work: never, options: never) {
        const isNow = isFailing && first.received.length === 1;
        if (!isNow) return opened.store.write(work, options);
        isFailing = false;
        return Promise.reject(new Error('The store was not there.'));
      },
    });
    const kinds = ['run-started'] as const;
    const { desk } = deskWith(failing, {
      webhooks: [first, second].map(({ url }) => ({ url, secret: SECRET, kinds })),
    });

    const runId = await desk.start('teller', 'Hello');
    await letTimePass(opened, desk, 4, 60_000);

    const ids = first.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(second.received).toHaveLength(1);
    expect((await desk.run(runId)).state).toBe('finished');
  });

  it('are taken over from a killed process after its lease', async () => {
    await using opened = await open();
    await using receiver = await openReceiver();
    const kinds = ['run-started'] as const;
    const webhooks = [{ url: receiver.url, secret: SECRET, kinds }];
    const { desk } = deskWith(opened.store, { webhooks, lease: 60_000 });
    receiver.response = { status: 500 };
    await desk.start('teller', 'Hello');
    await desk.drain();
    receiver.response = { status: 204 };
    opened.clock.advance(60_000);

    // Another process claims the delivery, and is killed.
    await opened.store.write((tx) => tx.tasks.claim(['webhook'], 60_000));
    opened.clock.advance(30_000);
    await desk.drain();
    expect(receiver.received).toHaveLength(1);
    opened.clock.advance(30_000);
    await desk.drain();

    expect(receiver.received).toHaveLength(2);
  });

  it('are delivered once by several processes if no process fails', async () => {
    await using opened = await open();
    await using receiver = await openReceiver();
    const webhooks = [{ url: receiver.url, secret: SECRET }];
    const desks = Array.from({ length: 3 }, () => deskWith(opened.store, { webhooks }).desk);
    const [desk] = desks;
    for (let count = 0; count < 10; count += 1) await desk?.start('teller', 'Hello');
    const stop = new AbortController();

    const working = desks.map((one) => one.startWorker({ signal: stop.signal, pollMs: 20 }));
    const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);
    // Deliveries to a receiver that has not responded yet wait by the clock of the store.
    await expect
      .poll(() => (opened.clock.advance(250), new Set(ids()).size), { timeout: 10_000 })
      .toBe(20);
    stop.abort();
    await Promise.all(working);

    expect(ids()).toHaveLength(20);
  });

  it('follow no redirect', async () => {
    await using opened = await open();
    await using elsewhere = await openReceiver();
    await using sly = await openReceiver();
    sly.response = { status: 307, headers: { location: elsewhere.url } };
    const { desk } = deskWith(opened.store, { webhooks: [{ url: sly.url, secret: SECRET }] });

    await desk.start('teller', 'Hello');
    await letTimePass(opened, desk, 3, 60_000);

    expect(sly.received.length).toBeGreaterThan(1);
    expect(elsewhere.received).toEqual([]);
  });

  it('are left to a process that knows the receiver', async () => {
    await using opened = await open();
    await using receiver = await openReceiver();
    await using another = await openReceiver();
    const { desk } = deskWith(opened.store, {
      webhooks: [{ url: receiver.url, secret: SECRET, kinds: ['run-started'] }],
    });
    const stranger = deskWith(opened.store, {
      webhooks: [{ url: another.url, secret: SECRET, kinds: ['run-failed'] }],
    });
    receiver.response = { status: 500 };
    await desk.start('teller', 'Hello');
    await desk.drain();
    receiver.response = { status: 200 };

    await letTimePass(opened, stranger.desk, 3, 10 * 60_000);
    expect(receiver.received).toHaveLength(1);
    await letTimePass(opened, desk, 3, 10 * 60_000);

    expect(receiver.received).toHaveLength(2);
    expect(another.received).toEqual([]);
  });
});

describe('a receiver that is dead', () => {
  it('does not occupy the workers', { timeout: 10_000 }, async () => {
    const store = await sqliteStore();
    await using dead = await openReceiver();
    await using alive = await openReceiver();
    dead.response = 'silence';
    const { desk } = deskWith(store, {
      webhooks: [
        { url: dead.url, secret: SECRET },
        { url: alive.url, secret: SECRET },
      ],
    });
    for (let count = 0; count < 20; count += 1) await desk.start('teller', 'Hello');
    const stop = new AbortController();

    const working = desk.startWorker({ signal: stop.signal, concurrency: 4, pollMs: 100 });
    await expect.poll(() => alive.received.length, { timeout: 8_000 }).toBe(40);

    // One worker waits for the receiver, and the others do all other work.
    expect(dead.received).toHaveLength(1);
    const before = performance.now();
    stop.abort();
    await working;
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe('`verifyWebhook`', () => {
  const recorded = async (secret: string | readonly string[]) => {
    const receiver = await openReceiver();
    const { desk } = deskWith(await sqliteStore(), { webhooks: [{ url: receiver.url, secret }] });
    await desk.start('teller', 'Hello');
    await desk.drain();
    const [first] = receiver.received;
    if (first === undefined) throw new Error('Nothing was sent.');
    await receiver[Symbol.asyncDispose]();
    const asRequest = (headers: Record<string, string> = {}, body = first.body) =>
      receiver.asRequest({ ...first, headers: { ...first.headers, ...headers }, body });
    return { first, asRequest };
  };

  it('accepts the old secret and the new one during a rotation', async () => {
    const { asRequest } = await recorded([SECRET, OTHER_SECRET]);

    const { id } = await verifyWebhook(asRequest(), SECRET);
    expect((await verifyWebhook(asRequest(), OTHER_SECRET)).id).toBe(id);
    expect((await verifyWebhook(asRequest(), [`${SECRET}`, OTHER_SECRET])).id).toBe(id);
  });

  it('rejects a changed webhook, another secret, and a missing signature', async () => {
    const { first, asRequest } = await recorded(SECRET);
    const rejected = (request: Request, secret = SECRET) =>
      expect(verifyWebhook(request, secret)).rejects;

    await rejected(asRequest(), OTHER_SECRET).toMatchObject({ code: 'wrong-signature' });
    const other = first.body.replace('run-', 'ran-');
    await rejected(asRequest({}, other)).toMatchObject({ code: 'wrong-signature' });
    const id = { 'webhook-id': 'another' };
    await rejected(asRequest(id)).toMatchObject({ code: 'wrong-signature' });
    await rejected(asRequest({ 'webhook-signature': '' })).toMatchObject({ code: 'unsigned' });
    const huge = 'x'.repeat(200_000);
    await rejected(asRequest({}, huge)).toMatchObject({ code: 'too-large' });
  });

  it('returns the id that identifies a replay, and rejects a webhook after five minutes', async () => {
    const { first, asRequest } = await recorded(SECRET);
    const seen = new Set([(await verifyWebhook(asRequest(), SECRET)).id]);

    const again = await verifyWebhook(asRequest(), SECRET);
    expect(seen.has(again.id)).toBe(true);
    const sentAt = Number(first.headers['webhook-timestamp']);
    // The signature covers the time, so a replay cannot change it.
    const younger = { 'webhook-timestamp': String(sentAt + 60) };
    await expect(verifyWebhook(asRequest(younger), SECRET)).rejects.toMatchObject({
      code: 'wrong-signature',
    });
    const older = { 'webhook-timestamp': String(sentAt - 301) };
    for (const headers of [older, { 'webhook-timestamp': 'soon' }]) {
      await expect(verifyWebhook(asRequest(headers), SECRET)).rejects.toMatchObject({
        code: 'too-old',
      });
    }
  });
});

describe('a desk does not open with webhooks', () => {
  it.each([
    ['without an address', { url: 'hooks', secret: SECRET }],
    ['that do not go by HTTP', { url: 'file:///etc/passwd', secret: SECRET }],
    ['with a password in the address', { url: 'https://a:b@example.com', secret: SECRET }],
    ['without a secret', { url: 'https://example.com', secret: [] }],
    ['with a short secret', { url: 'https://example.com', secret: 'whsec_c2hvcnQ=' }],
    ['with a secret that is none', { url: 'https://example.com', secret: 'correct horse' }],
  ])('%s', async (_, webhook) => {
    const store = await sqliteStore();
    const open = () => deskWith(store, { webhooks: [webhook] });

    expect(open).toThrow(/webhook/);
    expect(open).not.toThrow(/correct horse|c2hvcnQ/);
  });

  it('that go to one address twice', async () => {
    const webhook = { url: 'https://example.com/path', secret: SECRET };

    const store = await sqliteStore();

    expect(() => deskWith(store, { webhooks: [webhook, webhook] })).toThrow(/Two webhooks/);
  });
});
