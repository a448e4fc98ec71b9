import { openDesk } from '@holdpoint/desk';
import { deskClient, DeskClientError } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';

/** A desk with an administrator, `root`, and a client for each caller. */
function serve(store: Parameters<typeof openDesk>[0]['store'], isAuthorized = true) {
  const desk = openDesk({
    store,
    agents: { teller: { agent: teller, deps: () => newBank() } },
    authorize: (request) => ({
      tenant: request.headers.get('x-tenant') ?? 'default',
      person: { id: request.headers.get('x-person') ?? '' },
      credential: 'token',
    }),
    ...(isAuthorized && {
      http: {
        authorizeAction: ({ person }, action) => action !== 'administer' || person.id === 'root',
      },
    }),
  });
  const clientOf = (person: string, tenant = 'default') =>
    deskClient({
      url: 'http://desk.invalid',
      headers: { 'x-person': person, 'x-tenant': tenant },
      fetch: (request) => desk.fetch(request),
    });
  return { desk, clientOf };
}

async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof DeskClientError) return error.status;
    throw error;
  }
}

async function allOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe.each(STORES)('erasure, export and dead letters over HTTP %s', (_, open) => {
  it('are for administrators of the tenant', async () => {
    await using opened = await open();
    const { desk, clientOf } = serve(opened.store);
    const runId = await desk.start('teller', 'Hello', {
      conversationId: 'c1',
      requester: { id: 'eve' },
    });
    await desk.drain();
    const [root, eve] = [clientOf('root'), clientOf('eve')];
    const reason = 'Request 17';

    expect(await statusOf(eve.eraseConversation('c1', { reason }))).toBe(403);
    expect(await statusOf(eve.erasePerson({ person: 'eve', reason }))).toBe(403);
    expect(await statusOf(allOf(eve.exportConversation('c1')))).toBe(403);
    expect(await statusOf(allOf(eve.exportPerson('eve')))).toBe(403);
    expect(await statusOf(eve.deadLetters())).toBe(403);
    expect(await statusOf(eve.replayDeadLetter({ kind: 'run', id: runId }))).toBe(403);
    const elsewhere = clientOf('root', 'other');
    expect(await statusOf(elsewhere.eraseConversation('c1', { reason }))).toBe(404);
    expect(await statusOf(allOf(elsewhere.exportConversation('c1')))).toBe(404);
    expect(await desk.history('c1')).toHaveLength(2);

    const records = await allOf(root.exportConversation('c1'));
    expect(records).toEqual(await allOf(root.exportPerson('eve')));
    expect(records.filter(({ record }) => record === 'message')).toHaveLength(2);
    expect(await root.eraseConversation('c1', { reason })).toEqual({ runs: 1 });
    expect(await root.erasePerson({ person: 'eve', reason })).toMatchObject({ auditEntries: 1 });
    expect(await root.verifyAudit(runId)).toMatchObject({ ok: true });
    expect(await root.deadLetters()).toEqual({ items: [] });
    expect(await statusOf(root.discardDeadLetter({ kind: 'outbox', id: 'x' }))).toBe(404);
  });

  it('are rejected if the desk does not say who is an administrator', async () => {
    await using opened = await open();
    const { desk, clientOf } = serve(opened.store, false);
    await desk.start('teller', 'Hello', { conversationId: 'c1' });
    await desk.drain();

    const erasing = clientOf('root').eraseConversation('c1', { reason: 'x' });
    expect(await statusOf(erasing)).toBe(403);
  });

  it('name a conversation that is busy', async () => {
    await using opened = await open();
    const { desk, clientOf } = serve(opened.store);
    await desk.start('teller', 'pay bob', { conversationId: 'c1' });
    await desk.drain();

    const erasing = clientOf('root').eraseConversation('c1', { reason: 'x' });
    await expect(erasing).rejects.toMatchObject({ status: 409, code: 'conversation-busy' });
  });
});
