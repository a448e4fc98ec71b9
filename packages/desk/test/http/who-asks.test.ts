import { memoryStore, openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { whoAsksCases } from './cases/who-asks.ts';
import { type Answer, type Site, siteOf, siteOn, startedRun } from './support/site.ts';

describe.each(STORES)('who asks a desk over HTTP %s', (_, open) => whoAsksCases(open));

describe('who may answer over HTTP', () => {
  const approve = async (site: Site, who: string): Promise<Answer> => {
    const [{ id, digest }] = (await site.ask(who, 'GET', '/holds')).body.items;
    return site.ask(who, 'POST', `/holds/${id}/answer`, { digest, answer: { kind: 'approve' } });
  };

  it('is not who has asked, where that is forbidden', async () => {
    const site = siteOn(memoryStore(), { notRequester: true });
    await startedRun(site, 'pay acme');

    expect(await approve(site, 'acme/ada')).toMatchObject({
      status: 403,
      body: { error: { code: 'may-not-answer' } },
    });
    expect((await site.desk.forTenant('acme').holds()).items).toHaveLength(1);
    expect((await approve(site, 'acme/grace')).status).toBe(200);
  });

  it('is nobody, where nobody knows who has asked', async () => {
    const site = siteOn(memoryStore(), { notRequester: true });
    const desk = site.desk.forTenant('acme');
    await desk.work({ runId: await desk.start('teller', 'pay acme') });

    expect(await approve(site, 'acme/grace')).toMatchObject({
      status: 403,
      body: { error: { code: 'may-not-answer' } },
    });
    expect((await desk.holds()).items).toHaveLength(1);
  });

  it('is not who has asked for it with a message to the run of somebody else', async () => {
    const site = siteOn(memoryStore(), { notRequester: true });
    const runId = await startedRun(site, 'pay acme');
    const desk = site.desk.forTenant('acme');
    const { conversationId } = await desk.run(runId);
    await site.ask('acme/grace', 'POST', `/conversations/${conversationId}/messages`, {
      prompt: 'pay grace',
      onOpenHolds: 'supersede',
    });
    await desk.work({ runId });
    expect((await desk.holds()).items).toMatchObject([{ runId, args: { to: 'grace' } }]);

    for (const who of ['acme/grace', 'acme/ada']) {
      expect(await approve(site, who)).toMatchObject({
        status: 403,
        body: { error: { code: 'may-not-answer' } },
      });
    }
    expect((await approve(site, 'acme/eve')).status).toBe(200);
  });

  it('is nobody, where nobody knows who has sent a message to the run', async () => {
    const site = siteOn(memoryStore(), { notRequester: true });
    const runId = await startedRun(site, 'pay acme');
    const desk = site.desk.forTenant('acme');
    const { conversationId } = await desk.run(runId);
    await desk.message(conversationId, 'pay somebody', { onOpenHolds: 'supersede' });
    await desk.work({ runId });

    expect((await approve(site, 'acme/grace')).status).toBe(403);
    expect((await desk.holds()).items).toHaveLength(1);
  });

  it('is whom a function says, which sees roles, hold and run', async () => {
    const site = siteOn(memoryStore(), {
      mayAnswer: ({ roles, person }, hold, run) =>
        roles?.includes('treasurer') === true &&
        hold.toolName === 'pay' &&
        run.requester?.id !== person.id,
    });
    await startedRun(site, 'pay acme');

    expect((await approve(site, 'acme/grace')).status).toBe(403);
    expect((await approve(site, 'acme/ada/treasurer')).status).toBe(403);
    expect((await approve(site, 'acme/grace/treasurer')).status).toBe(200);
  });

  it('is nobody, where the function fails or says something else than yes', async () => {
    const desk = openDesk({
      store: memoryStore(),
      agents: { teller: { agent: teller, deps: () => newBank() } },
    });
    const site = siteOf(desk);
    await startedRun(site, 'pay acme');
    const fails = siteOf(desk, {
      mayAnswer: () => {
        throw new Error('hunter2secret');
      },
    });
    const says = siteOf(desk, { mayAnswer: (() => 'yes') as never });

    expect((await approve(fails, 'acme/grace')).status).toBe(500);
    expect((await approve(says, 'acme/grace')).status).toBe(403);
    expect((await desk.forTenant('acme').holds()).items).toHaveLength(1);
  });

  it('is asked wherever the desk begins in the addresses', async () => {
    const desk = openDesk({
      store: memoryStore(),
      agents: { teller: { agent: teller, deps: () => newBank() } },
    });
    const { app } = siteOf(desk, { basePath: '/api/desk' });

    const { status } = await app.fetch(new Request('http://desk.test/api/desk/runs'));

    expect(status).toBe(401);
    expect((await app.fetch(new Request('http://desk.test/runs'))).status).toBe(404);
  });
});
