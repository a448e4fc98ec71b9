import { KEY_SCOPES, type KeyScope } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { OutsideDesk } from './support/outside-desk.ts';

const ARGS = { euros: 20 };
const DAY_MS = 24 * 60 * 60_000;

describe.each(STORES)('keys of service accounts, %s', (_, openStore) => {
  it('are created, listed, rotated and revoked by administrators', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const root = site.as(await site.key('root', ['administer']));
    opened.clock.advance(1);
    const created = await root.createKey({ account: 'billing', scopes: ['read', 'request'] });
    expect(created.key.startsWith(created.prefix)).toBe(true);
    const { items } = await root.keys();
    expect(items.map(({ account, state }) => [account, state])).toEqual([
      ['service:root', 'active'],
      ['service:billing', 'active'],
    ]);
    // Only the response contains the secret and its position.
    expect(JSON.stringify(items)).not.toContain(created.key);
    expect(created.id).not.toContain(created.key.slice(10));

    const rotated = await root.rotateKey(created.id);
    expect(rotated).toMatchObject({ account: 'service:billing', scopes: ['request', 'read'] });
    expect((await site.send('/v1/me', created.key)).status).toBe(401);
    expect(await site.as(rotated.key).me()).toMatchObject({ person: { id: 'service:billing' } });
    expect(await root.revokeKey(rotated.id)).toMatchObject({ state: 'revoked' });
    expect((await site.send('/v1/me', rotated.key)).status).toBe(401);
    await expect(root.rotateKey(rotated.id)).rejects.toMatchObject({ code: 'link-ended' });
  });

  it('expire', async () => {
    await using opened = await openStore();
    const site = new OutsideDesk(opened);
    const key = await site.key('billing', ['read']);
    opened.clock.advance(90 * DAY_MS - 1_000);
    expect((await site.send('/v1/holds', key)).status).toBe(200);
    opened.clock.advance(1_001);
    const response = await site.send('/v1/holds', key);
    expect([response.status, (await response.json()).code]).toEqual([401, 'unauthenticated']);
  });
});

describe('attack: a key', () => {
  it('does only what its scopes permit', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const id = '0123456789abcdef0123456789abcdef';
    const routes: readonly (readonly [KeyScope | 'request or read', string, object?])[] = [
      ['start', '/v1/runs', { agent: 'robot', prompt: 'Hello' }],
      ['start', `/v1/runs/${id}/cancel`, {}],
      ['start', `/v1/conversations/${id}/messages`, { prompt: 'Hello' }],
      ['request', '/v1/requests', { tool: 'refund', args: ARGS }],
      ['request', `/v1/requests/${id}/claim`, {}],
      ['decide', `/v1/holds/${id}/decision`, { digest: 'x', decision: { kind: 'approve' } }],
      ['decide', '/v1/holds/decisions', []],
      ['decide', `/v1/holds/${id}/callback`, {}],
      ['request', `/v1/requests/${id}/callback`, { token: 'an-executor-of-this-test' }],
      ['request', `/v1/requests/${id}/heartbeat`, { token: 'an-executor-of-this-test' }],
      ['request', `/v1/requests/${id}/release`, { token: 'an-executor-of-this-test' }],
      [
        'request',
        `/v1/requests/${id}/settle`,
        { token: 'an-executor-of-this-test', outcome: { kind: 'value', value: 1 } },
      ],
      ['decide', `/v1/grants/${id}/revoke`, {}],
      ['request or read', '/v1/requests'],
      ['read', '/v1/runs'],
      ['read', '/v1/holds'],
      ['read', `/v1/runs/${id}/audit`],
      ['read', `/v1/holds/${id}/comments`],
      // People comment and delegate; an account does so only as an administrator.
      ['administer', `/v1/holds/${id}/comments`, { text: 'x' }],
      ['administer', '/v1/delegations', { to: { id: 'kim' }, until: '2100-01-01T00:00:00Z' }],
      ['read', `/v1/runs/${id}/stream`],
      ['read', '/v1/events'],
      ['administer', '/v1/keys'],
      ['administer', '/v1/keys', { account: 'a', scopes: ['administer'] }],
      ['administer', '/v1/dead-letters'],
      ['administer', '/v1/people/export?person=ada'],
      ['administer', '/v1/people/erase', { person: 'ada', reason: 'x' }],
      ['administer', `/v1/conversations/${id}/export`],
    ];
    for (const scope of KEY_SCOPES) {
      const key = await site.key(scope, [scope]);
      for (const [needed, path, body] of routes) {
        const response = await site.send(path, key, body);
        const isForbidden = response.status === 403;
        await response.body?.cancel();
        expect([scope, path, isForbidden]).toEqual([scope, path, !needed.includes(scope)]);
      }
    }
  });

  it('is rejected if it is unknown, and never reaches `authorize`', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    // `authorize` of this desk accepts every word.
    expect((await site.send('/v1/me', 'hpk_guess')).status).toBe(401);
    expect((await site.send('/v1/me', 'ada')).status).toBe(200);
    const other = await site.key('billing', ['administer'], 'globex');
    const { items } = await site.as(other).keys();
    expect(items.map(({ account }) => account)).toEqual(['service:billing']);
    const [mine] = await site.acme.keys.list();
    expect(mine).toBeUndefined();
    const { id } = await site.acme.keys.create({
      account: 'mine',
      scopes: ['read'],
      by: { id: 'root' },
    });
    await expect(site.as(other).revokeKey(id)).rejects.toMatchObject({ status: 404 });
    // People are no administrators unless `authorizeAction` says so.
    await expect(site.as('ada').keys()).rejects.toMatchObject({ status: 403 });
  });

  it('approves only if the policy names its account', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const bot = site.as(await site.key('billing', ['request', 'decide', 'read']));
    const { holdId, id } = await bot.request({ tool: 'refund', args: ARGS });
    const { digest } = (await bot.hold(holdId)).hold;
    const approval = { digest, decision: { kind: 'approve' } } as const;
    for (const account of ['billing', 'cashier']) {
      const key = await site.key(account, ['decide', 'read']);
      await expect(site.as(key).decide(holdId, approval)).rejects.toMatchObject({
        code: 'may-not-decide',
      });
    }
    const auditor = await site.key('auditor', ['request', 'read']);
    await expect(site.as(auditor).decide(holdId, approval)).rejects.toMatchObject({ status: 403 });
    await site.as(await site.key('auditor', ['decide', 'read'])).decide(holdId, approval);
    expect(await bot.getRequest(id)).toMatchObject({ state: 'approved' });
    const audit = await site.acme.audit(id);
    expect(audit.find(({ kind }) => kind === 'hold-decided')?.by).toEqual({
      id: 'service:auditor',
    });
  });
});
