import { DeskError, sqliteStore, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { siteOn } from './support/site.ts';

/** A store that commits writes and reports an unknown outcome. */
function storeOfUnknownOutcome(store: Store): Store {
  return {
    async write(work, options) {
      await store.write(work, options);
      throw new DeskError('outcome-unknown', 'The connection was lost at the end.');
    },
    read: (work, options) => store.read(work, options),
    onDue: (listener) => store.onDue(listener),
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe('request with an unknown outcome', () => {
  it('gets 500 without Retry-After, and advice to check the state first', async () => {
    const store = await sqliteStore();
    const site = siteOn(storeOfUnknownOutcome(store), { onError: () => {} });

    const { status, headers, body } = await site.ask('acme/ada', 'POST', '/v1/runs', {
      agent: 'teller',
      prompt: 'Hi',
    });

    expect(status).toBe(500);
    expect(headers.get('retry-after')).toBeNull();
    expect(body).toMatchObject({
      type: 'urn:holdpoint:problem:outcome-unknown',
      code: 'outcome-unknown',
      detail: expect.stringContaining('Check the state before you send it again'),
      requestId: expect.any(String),
    });
    expect((await siteOn(store).desk.forTenant('acme').runs()).items).toHaveLength(1);
  });

  it('gets its run if it has an idempotency key', async () => {
    const site = siteOn(storeOfUnknownOutcome(await sqliteStore()), { onError: () => {} });
    const request = { agent: 'teller', prompt: 'Hi', idempotencyKey: 'key' };

    const first = await site.ask('acme/ada', 'POST', '/v1/runs', request);
    const second = await site.ask('acme/ada', 'POST', '/v1/runs', request);

    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body.id).toBe(first.body.id);
  });
});
