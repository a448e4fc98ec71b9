import { CallInDoubtError, executeRequest } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { OutsideDesk, SCHEMA } from './support/outside-desk.ts';

const ARGS = { euros: 20 };
const TOKEN = 'an-executor-of-this-test';

describe.each(STORES)('requests over HTTP, %s', (_, openStore) => {
  it('are created, awaited, claimed and settled with a key', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const bot = site.as(await site.key('billing', ['request']));
    const body = { tool: 'refund', args: ARGS, requester: { id: 'ada' }, idempotencyKey: 'o-17' };
    const created = await bot.request({ ...body, context: { order: 17 } });
    expect(created).toMatchObject({
      state: 'pending',
      owner: { id: 'service:billing' },
      requester: { id: 'ada' },
    });
    expect((await bot.request({ ...body, context: { order: 17 } })).id).toBe(created.id);

    const waiting = bot.getRequest(created.id, { wait: 20 });
    const grace = site.as('grace');
    const { digest } = (await grace.hold(created.holdId)).hold;
    await grace.decide(created.holdId, {
      digest,
      decision: { kind: 'approve', args: { euros: 5 } },
    });
    const approved = await waiting;
    expect(approved).toMatchObject({ state: 'approved', effectiveArgs: { euros: 5 } });

    // A repeated claim with the same token gets the same response.
    const claim = await bot.claimRequest(created.id, { token: TOKEN });
    expect(await bot.claimRequest(created.id, { token: TOKEN })).toEqual(claim);
    expect(claim).toMatchObject({ args: { euros: 5 }, token: TOKEN, fence: 1 });
    const extended = await bot.extendRequestClaim(created.id, { token: TOKEN, lease: 120_000 });
    expect(extended.leaseUntil > claim.leaseUntil).toBe(true);
    await bot.releaseRequestClaim(created.id, { token: TOKEN });
    const { token } = await bot.claimRequest(created.id);
    const outcome = { kind: 'error', message: 'The bank rejected it.' } as const;
    const ended = bot.getRequest(created.id, { wait: 20, until: 'end' });
    await bot.settleRequest(created.id, { token, outcome });
    expect(await ended).toMatchObject({ state: 'settled', outcome });
    expect((await bot.requests()).items).toHaveLength(1);
    expect(await site.desk.drain()).toBe(0);
  });

  it('return as they are when the time of a long poll is over', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const bot = site.as(await site.key('billing', ['request']));
    const { id } = await bot.request({ tool: 'refund', args: ARGS });
    expect(await bot.getRequest(id, { wait: 0.05 })).toMatchObject({ state: 'pending' });
    // The rest of a time limit is no whole number of milliseconds.
    expect(await bot.getRequest(id, { wait: 0.0123456 })).toMatchObject({ state: 'pending' });
    const waiting = bot.getRequest(id, { wait: 20 });
    await bot.cancelRequest(id);
    expect(await waiting).toMatchObject({ state: 'cancelled' });
  });

  it('are reported as server-sent events to a key that may read', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const key = await site.key('billing', ['request', 'read']);
    const bot = site.as(key);
    const { body } = await site.send('/v1/events', key);
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    const { id, holdId } = await bot.request({ tool: 'refund', args: ARGS });
    const grace = site.as('grace');
    const { digest } = (await grace.hold(holdId)).hold;
    await grace.decide(holdId, { digest, decision: { kind: 'approve' } });
    const { token } = await bot.claimRequest(id);
    await bot.settleRequest(id, { token, outcome: { kind: 'value', value: 1 } });

    let received = '';
    while (!received.includes('run-finished')) received += (await reader.read()).value;

    await reader.cancel();
    const events = [...received.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
    expect(events.map(({ kind, runId }) => [kind, runId])).toEqual([
      ['run-started', id],
      ['hold-opened', id],
      ['hold-settled', id],
      ['run-finished', id],
    ]);
    const other = await site.key('other', ['request']);
    expect((await site.send('/v1/events', other)).status).toBe(403);
  });

  it('report their mistakes', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const bot = await site.key('billing', ['request']);
    const codeOf = async (body: object) =>
      (await (await site.send('/v1/requests', bot, body)).json()).code;
    expect(await codeOf({ tool: 'refnud', args: ARGS })).toBe('unknown-tool');
    expect(await codeOf({ tool: 'refund', args: { euros: 'x' } })).toBe('arguments-do-not-fit');
    expect(await codeOf({ tool: 'refund', args: ARGS, schema: SCHEMA })).toBe('invalid-request');
    expect(await codeOf({ tool: 'refund', args: ARGS, arg: 1 })).toBe('invalid-request');
    const { id } = await site.as(bot).request({ tool: 'refund', args: ARGS });
    const claim = await site.send(`/v1/requests/${id}/claim`, bot, {});
    expect([claim.status, (await claim.json()).code]).toEqual([409, 'request-not-approved']);
    expect((await site.send('/v1/requests/0000', bot)).status).toBe(404);
  });
});

describe('executeRequest', () => {
  it('executes a call once, in any number of processes', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const bot = site.as(await site.key('billing', ['request']));
    const { id, holdId } = await bot.request({ tool: 'refund', args: ARGS });
    let executed = 0;
    const execute = () => {
      executed += 1;
      return 'paid';
    };
    const all = [1, 2, 3].map(() => executeRequest(bot, id, execute));
    const grace = site.as('grace');
    const { digest } = (await grace.hold(holdId)).hold;
    await grace.decide(holdId, { digest, decision: { kind: 'approve' } });
    for (const request of await Promise.all(all)) {
      expect(request.outcome).toEqual({ kind: 'value', value: 'paid' });
    }
    expect(executed).toBe(1);
  });

  it.each([
    [new Error('The bank said no.'), { state: 'settled', outcome: { kind: 'error' } }],
    [new CallInDoubtError('The bank timed out.'), { state: 'in-doubt' }],
  ])('records %s, and throws it', async (error, recorded) => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const bot = site.as(await site.key('billing', ['request']));
    const { id, holdId } = await bot.request({ tool: 'refund', args: ARGS });
    const grace = site.as('grace');
    const { digest } = (await grace.hold(holdId)).hold;
    await grace.decide(holdId, { digest, decision: { kind: 'approve' } });
    const execute = () => {
      throw error;
    };
    await expect(executeRequest(bot, id, execute)).rejects.toBe(error);
    expect(await bot.getRequest(id)).toMatchObject(recorded);
  });
});

describe('attack: a request from outside', () => {
  it('is claimed, settled and read only by its owner', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const owner = site.as(await site.key('billing', ['request']));
    const { id, holdId } = await owner.request({ tool: 'refund', args: ARGS });
    const grace = site.as('grace');
    const { digest } = (await grace.hold(holdId)).hold;
    await grace.decide(holdId, { digest, decision: { kind: 'approve' } });

    const others = [
      await site.key('other', ['request']),
      await site.key('billing', ['request'], 'globex'),
      await site.key('reader', ['request', 'read']),
      'grace',
    ];
    for (const [index, token] of others.entries()) {
      for (const [path, body] of [
        ['claim', {}],
        ['claim', { token: TOKEN }],
        ['heartbeat', { token: TOKEN }],
        ['release', { token: TOKEN }],
        ['settle', { token: TOKEN, outcome: { kind: 'value', value: 1 } }],
        ['cancel', {}],
      ] as const) {
        const response = await site.send(`/v1/requests/${id}/${path}`, token, body);
        expect([index, path, response.status]).toEqual([index, path, 404]);
      }
      expect((await site.as(token).requests()).items).toEqual([]);
    }
    expect((await site.send(`/v1/requests/${id}`, others[0])).status).toBe(404);
    expect((await site.send(`/v1/requests/${id}`, others[1])).status).toBe(404);
    // Callers who may read the hold see that the request exists, without its contents.
    for (const token of others.slice(2)) {
      const seen = await site.as(token).getRequest(id);
      expect(seen).toMatchObject({ id, state: 'approved' });
      expect([seen.args, seen.effectiveArgs, seen.outcome]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
    expect(await owner.claimRequest(id)).toMatchObject({ fence: 1 });
  });

  it('cannot make the lists of approvers unreadable by an expiry that is too far away', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const key = await site.key('billing', ['request']);
    for (const expiresAfter of [Number.MAX_SAFE_INTEGER, 1e15 + 1]) {
      const body = { tool: 'refund', args: ARGS, expiresAfter };
      const response = await site.send('/v1/requests', key, body);
      expect([response.status, (await response.json()).code]).toEqual([400, 'invalid-request']);
    }
    const { holdId } = await site
      .as(key)
      .request({ tool: 'refund', args: ARGS, expiresAfter: 1e15 });
    expect((await site.as('grace').holds()).items).toMatchObject([{ id: holdId }]);
  });

  it('cannot name another requester, if its caller is a person', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const body = { tool: 'refund', args: ARGS, requester: { id: 'ada' } };
    expect((await site.send('/v1/requests', 'mallory', body)).status).toBe(403);
    const own = await site.as('mallory').request({ tool: 'refund', args: ARGS });
    expect(own.requester).toEqual({ id: 'mallory' });
  });

  it('shows markup and invisible characters as text', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const bot = site.as(await site.key('billing', ['request']));
    const hostile = '<img src=x onerror=alert(1)>\u202e"\'</script>';
    const { id, holdId } = await bot.request({
      tool: 'refund',
      args: ARGS,
      description: hostile,
      preview: { text: hostile },
      context: { [hostile]: hostile },
    });
    const { hold } = await site.as('grace').hold(holdId);
    expect(hold).toMatchObject({ preview: { text: hostile }, metadata: { [hostile]: hostile } });
    const link = await site.acme.decisionLink(holdId, {
      for: { id: 'ann' },
      roles: ['cashier'],
      expiresAfter: 60_000,
    });
    const page = await (await site.send(link.url, undefined)).text();
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;img');
    expect((await site.as('grace').run(id)).prompt).toContain('<img');
  });

  it('is not opened by an agent name that resembles another owner', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    // The application must not let people take the names of service accounts.
    const response = await site.send('/v1/requests', 'service:billing', {
      tool: 'refund',
      args: ARGS,
    });
    expect(response.status).toBe(500);
  });
});

describe.each(STORES)('a callback address, %s', (_, openStore) => {
  it('supplies the result of an external call, once', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const runId = await site.acme.start('robot', 'Print it.');
    await site.acme.work({ runId });
    const { items } = await site.acme.holds({ runId });
    const holdId = items[0]!.id;
    const address = await site.acme.callbackUrl(holdId, { for: { id: 'printer' } });
    expect(JSON.stringify(await site.acme.audit(runId))).not.toContain(address.split('/').at(-1));

    expect((await site.send(address, undefined)).status).toBe(401);
    expect((await site.send(address, undefined, {})).status).toBe(400);
    const both = await Promise.all([1, 2].map((value) => site.send(address, undefined, { value })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 410]);
    const decided = await site.acme.hold(holdId);
    expect(decided.decisions).toMatchObject([
      { by: { id: 'printer' }, decision: { kind: 'result' } },
    ]);
    expect((await site.send(address, undefined, { value: 3 })).status).toBe(410);
    expect((await site.send('/v1/callbacks/unknown', undefined, { value: 3 })).status).toBe(404);
  });

  it('expires, and exists only for external calls', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const runId = await site.acme.start('robot', 'Print it.');
    await site.acme.work({ runId });
    const { items } = await site.acme.holds({ runId });
    const address = await site.acme.callbackUrl(items[0]!.id, { expiresAfter: 1_000 });
    opened.clock.advance(1_001);
    expect((await site.send(address, undefined, { value: 3 })).status).toBe(410);
    const { holdId } = await site.acme.request('refund', ARGS, { by: { id: 'bot' } });
    await expect(site.acme.callbackUrl(holdId)).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });
  });
});
