import { signIn } from '@holdpoint/desk/sign-in';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { OutsideDesk } from './support/outside-desk.ts';

const ARGS = { euros: 20 };
const TOKEN = 'an-executor-of-this-test';
const VALUE = { value: { pages: 12 } };

/** Starts a run that parks with an external call. */
async function printing(site: OutsideDesk, tenant = 'acme') {
  const desk = site.desk.forTenant(tenant);
  const runId = await desk.start('robot', 'Print it.');
  await desk.work({ runId });
  const { items } = await desk.holds({ runId });
  return { runId, holdId: items[0]!.id };
}

/** A claimed request of the service account `billing`. */
async function claimed(site: OutsideDesk) {
  const bot = site.as(await site.key('billing', ['request']));
  const { id, holdId } = await bot.request({ tool: 'refund', args: ARGS });
  const grace = site.as('grace');
  const { digest } = (await grace.hold(holdId)).hold;
  await grace.decide(holdId, { digest, decision: { kind: 'approve' } });
  await bot.claimRequest(id, { token: TOKEN });
  return { bot, id };
}

const statusOf = async (site: OutsideDesk, url: string, body: object = VALUE) =>
  (await site.send(url, undefined, body)).status;

describe.each(STORES)('a callback address that a person creates over HTTP, %s', (_, openStore) => {
  it('supplies the result as that person, once, and the audit records both', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const { runId, holdId } = await printing(site);

    const { url, expiresAt } = await site.as('grace').holdCallback(holdId);
    const both = await Promise.all([1, 2].map((value) => statusOf(site, url, { value })));

    expect(Date.parse(expiresAt)).toBe(opened.clock.now() + 24 * 60 * 60_000);
    expect(both.toSorted()).toEqual([200, 410]);
    const { decisions } = await site.acme.hold(holdId);
    expect(decisions).toMatchObject([{ by: { id: 'grace' }, decision: { kind: 'result' } }]);
    const audit = await site.acme.audit(runId);
    expect(audit.filter(({ kind }) => kind.startsWith('link-'))).toMatchObject([
      { kind: 'link-created', by: { id: 'grace' }, data: { holdId } },
      { kind: 'link-used', by: { id: 'grace' }, data: { holdId, kind: 'result' } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(url.split('/').at(-1));
  });

  it('settles a claimed request, once', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const { bot, id } = await claimed(site);

    const { url } = await bot.requestCallback(id, { token: TOKEN });
    const both = await Promise.all([1, 2].map((value) => statusOf(site, url, { value })));

    expect(both.toSorted()).toEqual([200, 410]);
    expect(await bot.getRequest(id)).toMatchObject({
      state: 'settled',
      outcome: { kind: 'value', value: expect.any(Number) },
    });
    const audit = await site.acme.audit(id);
    expect(audit.filter(({ kind }) => kind.startsWith('link-'))).toMatchObject([
      { by: { id: 'service:billing' } },
      { by: { id: 'service:billing' }, data: { kind: 'result' } },
    ]);
    expect(await site.as('grace').verifyAudit(id)).toMatchObject({ ok: true });
  });

  it('settles a claimed request as failed', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const { bot, id } = await claimed(site);

    const { url } = await bot.requestCallback(id, { token: TOKEN });

    expect(await statusOf(site, url, { error: 'No paper.' })).toBe(200);
    const outcome = { kind: 'error', message: 'No paper.' };
    expect(await bot.getRequest(id)).toMatchObject({ state: 'settled', outcome });
  });
});

describe('attack: a callback address', () => {
  const openSite = async () => {
    const opened = await STORES[0]![1]();
    return { opened, site: new OutsideDesk(opened) };
  };

  it('is created only by a caller who may supply the result', async () => {
    const { opened, site } = await openSite();
    await using _ = opened;
    const { holdId } = await printing(site);
    const path = `/v1/holds/${holdId}/callback`;

    const codes: unknown[] = [];
    for (const token of [
      undefined,
      await site.key('starter', ['start', 'request', 'read']),
      await site.key('blind', ['decide']),
      // It has both scopes, but the policy does not name it.
      await site.key('unnamed', ['decide', 'read']),
      await site.key('globex', ['decide', 'read'], 'globex'),
    ]) {
      const response = await site.send(path, token, {});
      codes.push([response.status, (await response.json()).code]);
    }

    expect(codes).toEqual([
      [401, 'unauthenticated'],
      [403, 'forbidden'],
      [404, 'not-found'],
      [403, 'may-not-decide'],
      [404, 'not-found'],
    ]);
    expect((await site.acme.hold(holdId)).state).toBe('open');
  });

  it('names no other author, and expires', async () => {
    const { opened, site } = await openSite();
    await using _ = opened;
    const { holdId } = await printing(site);
    const path = `/v1/holds/${holdId}/callback`;

    for (const body of [
      { for: { id: 'ada' } },
      { roles: ['cashier'] },
      { by: { id: 'ada' } },
      { expiresAfter: 0 },
      { expiresAfter: 31 * 24 * 60 * 60_000 },
    ]) {
      expect((await site.send(path, 'grace', body)).status, JSON.stringify(body)).toBe(400);
    }
  });

  it('expires, and does nothing after the hold was decided', async () => {
    const { opened, site } = await openSite();
    await using _ = opened;
    const { holdId } = await printing(site);
    const grace = site.as('grace');
    const short = await grace.holdCallback(holdId, { expiresAfter: 1_000 });
    const long = await grace.holdCallback(holdId);

    opened.clock.advance(1_000);
    expect(await statusOf(site, short.url)).toBe(410);
    const { digest } = (await grace.hold(holdId)).hold;
    await grace.decide(holdId, { digest, decision: { kind: 'result', value: 'by hand' } });
    expect(await statusOf(site, long.url)).toBe(409);

    const { decisions } = await site.acme.hold(holdId);
    expect(decisions).toMatchObject([{ decision: { kind: 'result', value: 'by hand' } }]);
    await expect(grace.holdCallback(holdId)).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });
  });

  it('ends with the access of the person who created it', async () => {
    const { opened, site } = await openSite();
    await using _ = opened;
    const { holdId } = await printing(site);
    const { url } = await site.as('grace').holdCallback(holdId);
    const provider = signIn({ store: opened.store, url: 'https://desk.example' });

    await provider.endSessionsOf('GRACE', 'acme');

    expect(await statusOf(site, url)).toBe(410);
    expect((await site.acme.hold(holdId)).state).toBe('open');
  });

  it('ends with the last key of its service account', async () => {
    const { opened, site } = await openSite();
    await using _ = opened;
    const { bot, id } = await claimed(site);
    const { url } = await bot.requestCallback(id, { token: TOKEN });
    const [key] = await site.acme.keys.list();

    // Another account, another tenant and another scope do not help.
    await site.key('other', ['request']);
    await site.key('billing', ['request'], 'globex');
    await site.key('billing', ['read']);
    await site.acme.keys.revoke(key!.id, { by: { id: 'root' } });
    expect(await statusOf(site, url)).toBe(410);
    expect((await site.acme.requests.get(id)).state).toBe('claimed');

    await site.key('billing', ['request']);
    expect(await statusOf(site, url)).toBe(200);
  });

  it('settles nothing without the claim, and nothing after it', async () => {
    const { opened, site } = await openSite();
    await using _ = opened;
    const { bot, id } = await claimed(site);
    const create = async (key: string, token: string) =>
      (await site.send(`/v1/requests/${id}/callback`, key, { token })).status;

    const billing = await site.key('billing', ['request']);
    expect(await create(billing, 'the-token-of-another')).toBe(409);
    expect(await create(await site.key('other', ['request']), TOKEN)).toBe(404);
    expect(await create(await site.key('billing', ['request'], 'globex'), TOKEN)).toBe(404);
    expect(await create(await site.key('billing', ['read', 'decide']), TOKEN)).toBe(403);
    expect(await create('grace', TOKEN)).toBe(404);

    const { url } = await bot.requestCallback(id, { token: TOKEN });
    await bot.releaseRequestClaim(id, { token: TOKEN });
    await bot.claimRequest(id, { token: 'another-token-of-the-test' });
    expect(await statusOf(site, url)).toBe(409);
    opened.clock.advance(60_000);
    const late = await create(billing, 'another-token-of-the-test');
    expect(late).toBe(409);
    expect((await site.acme.requests.get(id)).outcome).toBeUndefined();
  });
});
