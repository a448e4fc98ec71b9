import { memoryStore, openDesk, type OutboxRow, type Store } from '@holdpoint/desk';
import { verifyWebhook } from '@holdpoint/desk/webhooks';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { onlyHold, say } from '../support/people.ts';
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
  desk: { workOff(): Promise<number> },
  rounds: number,
  step: number,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await desk.workOff();
    clock.advance(step);
  }
  await desk.workOff();
}

describe.each(STORES)('webhooks %s', (_, open) => {
  it('tell a receiver what happens, signed, with ids and states and nothing else', async () => {
    await using opened = await open();
    await using receiver = await openReceiver('/hooks?key=1');
    const webhooks = [{ url: receiver.url, secret: SECRET }];
    const { desk } = deskWith(opened.store, { webhooks });

    const runId = await desk.start('teller', 'pay secretshop', { requester: { id: 'ada' } });
    await desk.workOff();
    const hold = await onlyHold(desk, runId);
    await say(desk, hold, { kind: 'deny', message: 'a secret reason' });
    await desk.workOff();

    expect(typesOf(receiver).toSorted()).toEqual(
      ['hold-opened', 'hold-settled', 'run-finished', 'run-started'].toSorted(),
    );
    const { items } = await desk.events();
    for (const received of receiver.received) {
      expect(received).toMatchObject({ method: 'POST', path: '/hooks?key=1' });
      expect(received.body).not.toMatch(/secret/);
      const event = await verifyWebhook(receiver.asRequest(received), SECRET);
      const row = items.find(({ id }) => id === event.id);
      expect(row).toMatchObject({ kind: event.type, at: event.at, runId });
      expect(event).toMatchObject({ tenant: 'default', runId });
    }
    const opening = receiver.received.find(({ body }) => body.includes('hold-opened'));
    expect(JSON.parse(opening?.body ?? '')).toEqual({
      type: 'hold-opened',
      timestamp: expect.stringMatching(/^20\d\d-.*Z$/),
      data: { tenant: 'default', runId, holdId: hold.id },
    });
    for (const { id, deliveredAt } of items) {
      expect(deliveredAt).toBeDefined();
      expect(await desk.deliveries(id)).toMatchObject([{ state: 'delivered', tries: 1 }]);
    }
  });

  it('tell each receiver on its own, whatever becomes of the others', async () => {
    await using opened = await open();
    await using fine = await openReceiver();
    await using broken = await openReceiver();
    await using picky = await openReceiver();
    broken.reply = { status: 500 };
    const notified: OutboxRow['kind'][] = [];
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
    await desk.workOff();

    expect(typesOf(fine)).toEqual(expect.arrayContaining(['run-started', 'hold-opened']));
    expect(typesOf(picky)).toEqual(['hold-opened']);
    expect(notified).toEqual([]);
    const toldBefore = typesOf(fine).length;
    notifyFails = false;
    broken.reply = { status: 200 };
    await letTimePass(opened, desk, 5, 10_000);

    expect(notified.toSorted()).toEqual(['hold-opened', 'run-started']);
    expect(typesOf(fine)).toHaveLength(toldBefore);
    expect(typesOf(picky)).toHaveLength(1);
    const ids = new Set(broken.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(2);
    expect(broken.received.length).toBeGreaterThan(2);
  });

  it('are given up after ten tries, which the delivery and the audit say', async () => {
    await using opened = await open();
    await using dead = await openReceiver('/a-secret-path');
    dead.reply = { status: 503 };
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
      { state: 'given-up', tries: 10, host, problem: 'It answered with 503.' },
    ]);
    expect((await desk.audit(runId)).at(-1)).toMatchObject({
      kind: 'webhook-given-up',
      data: { eventId: id, host, tries: 10 },
    });
    expect(String(errors)).toMatch(/was given up/);
    expect(String(errors)).not.toMatch(/a-secret-path/);
    await letTimePass(opened, desk, 3, A_DAY);
    expect(dead.received).toHaveLength(10);
  });

  it('are given up at once if the receiver says that it is gone', async () => {
    await using opened = await open();
    await using gone = await openReceiver();
    gone.reply = { status: 410 };
    const { desk } = deskWith(opened.store, { webhooks: [{ url: gone.url, secret: SECRET }] });

    await desk.start('teller', 'Hello');
    await letTimePass(opened, desk, 3, A_DAY);

    const { items } = await desk.events();
    expect(gone.received.length).toBe(items.length);
  });

  it('are told again, with the same id, if nobody knows whether they were told', async () => {
    await using opened = await open();
    await using first = await openReceiver();
    await using second = await openReceiver();
    let isFailing = true;
    // It fails once, right after the first receiver was told.
    const failing: Store = Object.assign(Object.create(opened.store), {
      read: (work: never) => opened.store.read(work),
      onDue: (listener: () => void) => opened.store.onDue(listener),
      write(work: never) {
        const isNow = isFailing && first.received.length === 1;
        if (!isNow) return opened.store.write(work);
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

  it('are taken over from a process that has died, after its lease', async () => {
    await using opened = await open();
    await using receiver = await openReceiver();
    const kinds = ['run-started'] as const;
    const webhooks = [{ url: receiver.url, secret: SECRET, kinds }];
    const { desk } = deskWith(opened.store, { webhooks, lease: 60_000 });
    receiver.reply = { status: 500 };
    await desk.start('teller', 'Hello');
    await desk.workOff();
    receiver.reply = { status: 204 };
    opened.clock.advance(60_000);

    // Somebody takes it, and is never heard of again.
    await opened.store.write((tx) => tx.tasks.claim(['webhook'], 60_000));
    opened.clock.advance(30_000);
    await desk.workOff();
    expect(receiver.received).toHaveLength(1);
    opened.clock.advance(30_000);
    await desk.workOff();

    expect(receiver.received).toHaveLength(2);
  });

  it('are told once by any number of processes, if nothing goes wrong', async () => {
    await using opened = await open();
    await using receiver = await openReceiver();
    const webhooks = [{ url: receiver.url, secret: SECRET }];
    const desks = Array.from({ length: 3 }, () => deskWith(opened.store, { webhooks }).desk);
    const [desk] = desks;
    for (let count = 0; count < 10; count += 1) await desk?.start('teller', 'Hello');
    const stop = new AbortController();

    const working = desks.map((one) => one.keepWorking({ signal: stop.signal, pollMs: 20 }));
    const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);
    // Where a receiver has not answered yet, others wait a moment for it, by the clock of the store.
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
    sly.reply = { status: 307, headers: { location: elsewhere.url } };
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
    receiver.reply = { status: 500 };
    await desk.start('teller', 'Hello');
    await desk.workOff();
    receiver.reply = { status: 200 };

    await letTimePass(opened, stranger.desk, 3, 10 * 60_000);
    expect(receiver.received).toHaveLength(1);
    await letTimePass(opened, desk, 3, 10 * 60_000);

    expect(receiver.received).toHaveLength(2);
    expect(another.received).toEqual([]);
  });
});

describe('a receiver that is dead', () => {
  it('does not take up the workers', { timeout: 10_000 }, async () => {
    const store = memoryStore();
    await using dead = await openReceiver();
    await using alive = await openReceiver();
    dead.reply = 'silence';
    const { desk } = deskWith(store, {
      webhooks: [
        { url: dead.url, secret: SECRET },
        { url: alive.url, secret: SECRET },
      ],
    });
    for (let count = 0; count < 20; count += 1) await desk.start('teller', 'Hello');
    const stop = new AbortController();

    const working = desk.keepWorking({ signal: stop.signal, concurrency: 4, pollMs: 100 });
    await expect.poll(() => alive.received.length, { timeout: 8_000 }).toBe(40);

    // One worker waits for it; the others do everything else meanwhile.
    expect(dead.received).toHaveLength(1);
    const before = performance.now();
    stop.abort();
    await working;
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe('whoever receives a webhook', () => {
  const recorded = async (secret: string | readonly string[]) => {
    const receiver = await openReceiver();
    const { desk } = deskWith(memoryStore(), { webhooks: [{ url: receiver.url, secret }] });
    await desk.start('teller', 'Hello');
    await desk.workOff();
    const [first] = receiver.received;
    if (first === undefined) throw new Error('Nothing was sent.');
    await receiver[Symbol.asyncDispose]();
    const asRequest = (headers: Record<string, string> = {}, body = first.body) =>
      receiver.asRequest({ ...first, headers: { ...first.headers, ...headers }, body });
    return { first, asRequest };
  };

  it('takes it with the old secret and the new one while they are exchanged', async () => {
    const { asRequest } = await recorded([SECRET, OTHER_SECRET]);

    const { id } = await verifyWebhook(asRequest(), SECRET);
    expect((await verifyWebhook(asRequest(), OTHER_SECRET)).id).toBe(id);
    expect((await verifyWebhook(asRequest(), [`${SECRET}`, OTHER_SECRET])).id).toBe(id);
  });

  it('refuses what was changed, signed by somebody else, or not signed', async () => {
    const { first, asRequest } = await recorded(SECRET);
    const refused = (request: Request, secret = SECRET) =>
      expect(verifyWebhook(request, secret)).rejects;

    await refused(asRequest(), OTHER_SECRET).toMatchObject({ code: 'wrong-signature' });
    const other = first.body.replace('run-', 'ran-');
    await refused(asRequest({}, other)).toMatchObject({ code: 'wrong-signature' });
    const id = { 'webhook-id': 'another' };
    await refused(asRequest(id)).toMatchObject({ code: 'wrong-signature' });
    await refused(asRequest({ 'webhook-signature': '' })).toMatchObject({ code: 'unsigned' });
    const huge = 'x'.repeat(200_000);
    await refused(asRequest({}, huge)).toMatchObject({ code: 'too-large' });
  });

  it('recognises a replay by its id, and refuses it by its age after five minutes', async () => {
    const { first, asRequest } = await recorded(SECRET);
    const seen = new Set([(await verifyWebhook(asRequest(), SECRET)).id]);

    const again = await verifyWebhook(asRequest(), SECRET);
    expect(seen.has(again.id)).toBe(true);
    const sentAt = Number(first.headers['webhook-timestamp']);
    // Whoever replays it cannot make it younger: the time is signed.
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
  ])('%s', (_, webhook) => {
    const open = () => deskWith(memoryStore(), { webhooks: [webhook] });

    expect(open).toThrow(/webhook/);
    expect(open).not.toThrow(/correct horse|c2hvcnQ/);
  });

  it('that go to one address twice', () => {
    const webhook = { url: 'https://example.com/path', secret: SECRET };

    expect(() => deskWith(memoryStore(), { webhooks: [webhook, webhook] })).toThrow(/Two webhooks/);
  });
});
