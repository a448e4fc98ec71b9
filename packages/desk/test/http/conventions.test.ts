import { openDesk } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { output } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { byName, siteOf, siteOn, startedRun } from './support/site.ts';

describe.each(STORES)('HTTP conventions %s', (_, open) => {
  it('returns 201 with Location for a new run, and 200 for a repeated idempotency key', async () => {
    await using opened = await open();
    const { app } = siteOn(opened.store);
    const start = (key: string, body: object = {}) =>
      app.fetch(
        new Request('http://desk.test/v1/runs', {
          method: 'POST',
          headers: {
            authorization: 'Bearer acme/ada',
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify({ agent: 'teller', prompt: 'Hi', ...body }),
        }),
      );

    const first = await start('one');
    const { id } = (await first.json()) as { id: string };
    const second = await start('one', { idempotencyKey: 'one' });
    const third = await start('one', { idempotencyKey: 'two' });

    expect([first.status, second.status, third.status]).toEqual([201, 200, 400]);
    const location = new URL(first.headers.get('location') ?? '', 'http://desk.test/v1/runs');
    expect(location.pathname).toBe(`/v1/runs/${id}`);
    expect(await second.json()).toMatchObject({ id });
    expect(await third.json()).toMatchObject({ code: 'invalid-request' });
  });

  it('pages the messages of a conversation and the audit of a run', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    const runId = await startedRun(site, 'Hello');
    const { conversationId } = await ada.run(runId);

    const first = await ada.messages(conversationId, { limit: 1 });
    const second = await ada.messages(conversationId, { limit: 1, after: first.next });
    const audit = await ada.audit(runId, { limit: 1 });

    expect(first.items).toMatchObject([{ kind: 'request' }]);
    expect(second.items).toMatchObject([{ kind: 'response' }]);
    expect(second.next).toBeUndefined();
    expect((await ada.history(conversationId)).messages).toEqual([...first.items, ...second.items]);
    expect(audit.items).toMatchObject([{ number: 1, at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    expect((await ada.audit(runId, { after: audit.next })).items[0]).toMatchObject({ number: 2 });
    await expect(ada.messages(conversationId, { after: '-1' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('summarises a run with its prompt and its outcome', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    await startedRun(site, `\n  ${'Hello there. '.repeat(40)}\nSecond line`);

    const [run] = (await ada.runs()).items;

    expect(run?.prompt).toMatch(/^Hello there\. .*…$/);
    expect(run?.prompt).toHaveLength(200);
    expect(run?.outcome).toMatch(/^You said: /);
  });

  it('filters holds by tool, agent, requester and time', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    await startedRun(site, 'pay a');
    await opened.clock.advance(60_000);
    await startedRun(site, 'look_up b', 'acme/grace');
    const tools = async (query: Parameters<typeof ada.holds>[0]) =>
      (await ada.holds(query)).items.map(({ toolName }) => toolName);
    const [first, second] = (await ada.holds()).items;

    expect(await tools({ tool: 'pay' })).toEqual(['pay']);
    expect(await tools({ agent: 'teller' })).toEqual(['pay', 'look_up']);
    expect(await tools({ agent: 'other' })).toEqual([]);
    expect(await tools({ requester: 'grace' })).toEqual(['look_up']);
    expect(await tools({ requester: 'grac_' })).toEqual([]);
    expect(await tools({ createdBefore: second!.createdAt })).toEqual(['pay']);
    expect(await tools({ createdAfter: first!.createdAt })).toEqual(['look_up']);
    expect(await tools({ createdAfter: second!.createdAt, tool: 'pay' })).toEqual([]);
    await expect(tools({ createdBefore: 'yesterday' })).rejects.toMatchObject({ status: 400 });
  });
});

describe.each(STORES)('bulk decisions %s', (_, open) => {
  it('record each decision, and report the problem of each one that fails', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const grace = site.client('acme/grace');
    const runId = await startedRun(site, 'pay a, pay b, pay c');
    const [a, b, c] = (await grace.holds({ runId })).items;

    const { items } = await grace.decideMany([
      { holdId: a!.id, digest: a!.digest, decision: { kind: 'approve' } },
      { holdId: b!.id, digest: a!.digest, decision: { kind: 'approve' } },
      { holdId: '0'.repeat(32), digest: 'x', decision: { kind: 'approve' } },
      { holdId: c!.id, digest: c!.digest, decision: { kind: 'deny', reason: 'Not c.' } },
    ]);

    expect(items).toMatchObject([
      { holdId: a!.id, ok: true, hold: { state: 'decided' } },
      { holdId: b!.id, ok: false, problem: { status: 409, code: 'stale-digest' } },
      { ok: false, problem: { status: 404, code: 'not-found' } },
      { holdId: c!.id, ok: true, hold: { state: 'decided' } },
    ]);
    expect((await grace.holds({ runId })).items).toMatchObject([{ id: b!.id }]);
    expect((await grace.hold(c!.id)).decisions).toMatchObject([
      { by: { id: 'grace' }, decision: { kind: 'deny', reason: 'Not c.' } },
    ]);
  });

  it('apply the rights of the caller to every hold', async () => {
    await using opened = await open();
    const site = siteOn(opened.store, { notRequester: true });
    await startedRun(site, 'pay a');
    const [hold] = (await site.client('acme/ada').holds()).items;
    const decision = {
      holdId: hold!.id,
      digest: hold!.digest,
      decision: { kind: 'approve' },
    } as const;

    const ofRequester = await site.client('acme/ada').decideMany([decision]);
    const ofOtherTenant = await site.client('other/eve').decideMany([decision]);

    expect(ofRequester.items).toMatchObject([{ problem: { code: 'may-not-decide' } }]);
    expect(ofOtherTenant.items).toMatchObject([{ problem: { code: 'not-found' } }]);
    expect((await site.client('acme/ada').hold(hold!.id)).hold.state).toBe('open');
  });

  it('accept at most 50 approvals and denials', async () => {
    await using opened = await open();
    const { ask } = siteOn(opened.store);
    const item = { holdId: '0'.repeat(32), digest: 'x', decision: { kind: 'approve' } };
    const post = async (body: unknown) =>
      (await ask('acme/ada', 'POST', '/v1/holds/decisions', body)).status;

    expect(await post([item])).toBe(200);
    expect(await post([])).toBe(400);
    expect(await post(Array.from({ length: 51 }, () => item))).toBe(400);
    expect(await post([{ ...item, decision: { kind: 'approve', args: {} } }])).toBe(400);
    expect(await post([{ ...item, decision: { kind: 'result', value: 1 } }])).toBe(400);
  });
});

describe.each(STORES)('the title of a hold %s', (_, open) => {
  it('comes from the metadata of the tool, or from its name', async () => {
    await using opened = await open();
    const inputSchema = z.object({});
    const shared = { inputSchema, requiresApproval: true, execute: () => 'done' };
    const annotations = { destructiveHint: true };
    const tools = [
      tool({ ...shared, name: 'send_refund' }),
      tool({ ...shared, name: 'wipe', metadata: { title: 'Wipe the disk', annotations } }),
    ];
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? responds(calls('send_refund'), calls('wipe')) : says('Done.'),
    );
    const agent = new Agent({ name: 'helper', model, tools, output });
    const desk = openDesk({ store: opened.store, agents: { helper: { agent } } });
    const runId = await desk.forTenant('acme').start('helper', 'Go');
    await desk.forTenant('acme').work({ runId });

    const { items } = await siteOf(desk).client('acme/ada').holds();

    expect(items).toMatchObject([
      { toolName: 'send_refund', title: 'Send refund' },
      { toolName: 'wipe', title: 'Wipe the disk', annotations },
    ]);
  });
});

describe('pages of a desk', () => {
  const get = async (path: string, accept: string, basePath?: string) => {
    await using opened = await STORES[0]![1]();
    const { app } = siteOn(opened.store, { basePath });
    const request = new Request(`http://desk.test${path}`, { headers: { accept } });
    const response = await app.fetch(request);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it.each([
    ['/', undefined, '/inbox'],
    ['/desk', '/desk', '/desk/inbox'],
    ['/desk/', '/desk', '/desk/inbox'],
  ])('redirect a browser from %s to the inbox', async (path, basePath, inbox) => {
    const { status, headers } = await get(path, 'text/html', basePath);

    expect(status).toBe(302);
    const location = headers.get('location') ?? '';
    expect(new URL(location, `http://desk.test${path}`).pathname).toBe(inbox);
  });

  it('show a browser a page for an unknown path, and programs a problem', async () => {
    const page = await get('/nowhere', 'text/html,*/*');
    const problem = await get('/nowhere', '*/*');
    const ofApi = await get('/v1/nowhere', 'text/html,*/*');

    expect(page.status).toBe(404);
    expect(page.text).toContain('<h1>Page not found</h1>');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(problem.headers.get('content-type')).toBe('application/problem+json');
    expect(ofApi.status).toBe(401);
  });
});

describe('a change without a body', () => {
  it('is rejected if it is a form of another site, also without credentials in the request', async () => {
    await using opened = await STORES[0]![1]();
    // An application that identifies callers by their network address.
    const authorize = () => byName(new Request('http://x', { headers: TRUSTED }));
    const site = siteOn(opened.store, { authorize });
    const runId = await startedRun(site, 'pay a');
    const cancel = async (headers: Record<string, string>) =>
      (
        await site.app.fetch(
          new Request(`http://desk.test/v1/runs/${runId}/cancel`, { method: 'POST', headers }),
        )
      ).status;

    expect(await cancel({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await cancel({ origin: 'https://evil.example' })).toBe(403);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await cancel({ ...form, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect((await site.desk.forTenant('acme').run(runId)).state).toBe('parked');
    expect(await cancel({})).toBe(200);
  });
});

const TRUSTED = { authorization: 'Bearer acme/ada' };
