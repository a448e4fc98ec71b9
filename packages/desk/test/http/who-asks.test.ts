import { sqliteStore, openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { whoAsksCases } from './cases/who-asks.ts';
import { type SiteResponse, type Site, siteOf, siteOn, startedRun } from './support/site.ts';

describe.each(STORES)('caller of a desk over HTTP %s', (_, open) => whoAsksCases(open));

describe('eligible approver over HTTP', () => {
  const approve = async (site: Site, who: string): Promise<SiteResponse> => {
    const [{ id, digest }] = (await site.ask(who, 'GET', '/v1/holds')).body.items;
    return site.ask(who, 'POST', `/v1/holds/${id}/decision`, {
      digest,
      decision: { kind: 'approve' },
    });
  };

  it('is not the requester, if separation of duties is required', async () => {
    const site = siteOn(await sqliteStore(), { notRequester: true });
    await startedRun(site, 'pay acme');

    expect(await approve(site, 'acme/ada')).toMatchObject({
      status: 403,
      body: { code: 'may-not-decide' },
    });
    expect((await site.desk.forTenant('acme').holds()).items).toHaveLength(1);
    expect((await approve(site, 'acme/grace')).status).toBe(200);
  });

  it('does not exist if the requester is unknown', async () => {
    const site = siteOn(await sqliteStore(), { notRequester: true });
    const desk = site.desk.forTenant('acme');
    await desk.work({ runId: await desk.start('teller', 'pay acme') });

    expect(await approve(site, 'acme/grace')).toMatchObject({
      status: 403,
      body: { code: 'may-not-decide' },
    });
    expect((await desk.holds()).items).toHaveLength(1);
  });

  it('is not the author of a message to the run of another requester', async () => {
    const site = siteOn(await sqliteStore(), { notRequester: true });
    const runId = await startedRun(site, 'pay acme');
    const desk = site.desk.forTenant('acme');
    const { conversationId } = await desk.run(runId);
    await site.ask('acme/grace', 'POST', `/v1/conversations/${conversationId}/messages`, {
      prompt: 'pay grace',
      onOpenHolds: 'supersede',
    });
    await desk.work({ runId });
    expect((await desk.holds()).items).toMatchObject([{ runId, args: { to: 'grace' } }]);

    for (const who of ['acme/grace', 'acme/ada']) {
      expect(await approve(site, who)).toMatchObject({
        status: 403,
        body: { code: 'may-not-decide' },
      });
    }
    expect((await approve(site, 'acme/eve')).status).toBe(200);
  });

  it('does not exist if the author of a message is unknown', async () => {
    const site = siteOn(await sqliteStore(), { notRequester: true });
    const runId = await startedRun(site, 'pay acme');
    const desk = site.desk.forTenant('acme');
    const { conversationId } = await desk.run(runId);
    await desk.message(conversationId, 'pay somebody', { onOpenHolds: 'supersede' });
    await desk.work({ runId });

    expect((await approve(site, 'acme/grace')).status).toBe(403);
    expect((await desk.holds()).items).toHaveLength(1);
  });

  it('is chosen by `mayDecide`, which receives roles, hold and run', async () => {
    const site = siteOn(await sqliteStore(), {
      mayDecide: ({ roles, person }, hold, run) =>
        roles?.includes('treasurer') === true &&
        hold.toolName === 'pay' &&
        run.requester?.id !== person.id,
    });
    await startedRun(site, 'pay acme');

    expect((await approve(site, 'acme/grace')).status).toBe(403);
    expect((await approve(site, 'acme/ada/treasurer')).status).toBe(403);
    expect((await approve(site, 'acme/grace/treasurer')).status).toBe(200);
  });

  it('does not exist if `mayDecide` throws or does not return true', async () => {
    const desk = openDesk({
      store: await sqliteStore(),
      agents: { teller: { agent: teller, deps: () => newBank() } },
    });
    const site = siteOf(desk);
    await startedRun(site, 'pay acme');
    const fails = siteOf(desk, {
      mayDecide: () => {
        throw new Error('hunter2secret');
      },
    });
    const says = siteOf(desk, { mayDecide: (() => 'yes') as never });

    expect((await approve(fails, 'acme/grace')).status).toBe(500);
    expect((await approve(says, 'acme/grace')).status).toBe(403);
    expect((await desk.forTenant('acme').holds()).items).toHaveLength(1);
  });

  it('is authenticated below any base path', async () => {
    const desk = openDesk({
      store: await sqliteStore(),
      agents: { teller: { agent: teller, deps: () => newBank() } },
    });
    const { app } = siteOf(desk, { basePath: '/api/desk' });

    const { status } = await app.fetch(new Request('http://desk.test/api/desk/v1/runs'));

    expect(status).toBe(401);
    expect((await app.fetch(new Request('http://desk.test/v1/runs'))).status).toBe(404);
  });
});
