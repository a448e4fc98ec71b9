import { type Approvers, openDesk, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { type Site, siteOf, startedRun } from './support/site.ts';

const HOUR = 60 * 60_000;
const LIN = 'acme/lin/lead';
const BOB = 'acme/bob';

function siteWith(store: Store, approvers: Approvers, options: Parameters<typeof siteOf>[1] = {}) {
  const bank = newBank();
  const agents = { teller: { agent: teller, deps: () => bank } };
  return siteOf(openDesk({ store, agents, approvers }), options, bank);
}

async function mine(site: Site, who: string) {
  return (await site.client(who).holds({ mine: true })).items;
}

describe.each(STORES)('people over HTTP %s', (_, open) => {
  it('are shown as named approvers, and find their holds', async () => {
    await using opened = await open();
    const people = ['lin', 'zoe'];
    const site = siteWith(opened.store, { roles: ['board'], people, count: 2 });
    await startedRun(site, 'pay acme');

    const [hold] = await mine(site, 'acme/ZOE');

    expect(hold).toMatchObject({
      approvers: { roles: ['board'], people, count: 2 },
      requirements: [{ people, votes: 0 }],
      viewer: { mayDecide: true },
    });
    expect(await mine(site, 'acme/max/lead')).toEqual([]);
    const decision = { kind: 'approve' } as const;
    const { id, digest } = hold!;
    await expect(
      site.client('acme/max/lead').decide(id, { digest, decision }),
    ).rejects.toMatchObject({ code: 'may-not-decide' });
    await site.client('acme/zoe').decide(id, { digest, decision });
    const last = await site.client('acme/amy/board').decide(id, { digest, decision });
    expect(last.state).toBe('decided');
  });

  it('are shown the steps of escalation, and find escalated holds', async () => {
    await using opened = await open();
    const escalate = [{ afterMs: HOUR, also: { roles: ['director'] } }];
    const site = siteWith(opened.store, { roles: ['lead'], escalate });
    await startedRun(site, 'pay acme');
    const [before] = await mine(site, LIN);
    expect(before?.escalation).toEqual([
      {
        at: new Date(Date.parse(before?.createdAt ?? '') + HOUR).toISOString(),
        roles: ['director'],
        isReached: false,
      },
    ]);
    expect(await mine(site, 'acme/dee/director')).toEqual([]);

    opened.clock.advance(HOUR);
    // Before a worker applies the step, the person may decide, but the list does not contain the
    // hold.
    const shown = await site.client('acme/dee/director').hold(before!.id);
    expect(shown.hold.viewer.mayDecide).toBe(true);
    await site.desk.drain();

    const [after] = await mine(site, 'acme/dee/director');
    expect(after).toMatchObject({
      approvers: { roles: ['lead', 'director'], count: 1 },
      escalation: [{ isReached: true }],
    });
  });

  it('decide on behalf of others, and see on whose behalf', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, { roles: ['lead'], notRequester: true });
    await startedRun(site, 'pay acme');
    const until = new Date(opened.clock.now() + HOUR).toISOString();
    expect(await mine(site, BOB)).toEqual([]);

    const delegation = await site.client(LIN).delegate({ to: { id: 'bob' }, until });

    expect(delegation).toMatchObject({
      from: { id: 'lin' },
      to: { id: 'bob' },
      roles: ['lead'],
      until,
    });
    const [hold] = await mine(site, BOB);
    expect(hold?.viewer).toMatchObject({
      mayDecide: true,
      mayApprove: true,
      asSelf: false,
      onBehalfOf: [{ id: 'lin' }],
    });
    const { id, digest } = hold!;
    const decision = { kind: 'approve' } as const;
    const bob = site.client(BOB);
    await expect(bob.decide(id, { digest, decision })).rejects.toMatchObject({ status: 403 });
    await expect(
      site.client('acme/kim').decide(id, { digest, decision, onBehalfOf: 'lin' }),
    ).rejects.toMatchObject({ code: 'may-not-decide' });
    expect(await bob.previewEdit(id, { args: { to: 'b' } })).toMatchObject({ problems: [] });
    const decided = await bob.decide(id, { digest, decision, onBehalfOf: 'lin' });
    expect(decided).toMatchObject({
      state: 'decided',
      votes: [{ by: { id: 'bob' }, onBehalfOf: { id: 'lin' }, counts: true }],
    });
    const detail = await bob.hold(id);
    expect(detail.decisions).toMatchObject([{ by: { id: 'bob' }, onBehalfOf: { id: 'lin' } }]);
  });

  it('list and revoke only their own delegations', async () => {
    await using opened = await open();
    const site = siteWith(
      opened.store,
      { roles: ['lead'] },
      { authorizeAction: ({ person }, action) => action !== 'administer' || person.id === 'root' },
    );
    const until = new Date(opened.clock.now() + HOUR).toISOString();
    const client = site.client(LIN);
    const { id } = await client.delegate({ to: { id: 'bob' }, until, roles: [] });

    for (const who of [LIN, BOB]) {
      expect((await site.client(who).delegations({ live: true })).items).toMatchObject([{ id }]);
    }
    const kim = site.client('acme/kim');
    expect((await kim.delegations()).items).toEqual([]);
    await expect(kim.revokeDelegation(id)).rejects.toMatchObject({ status: 404 });
    await expect(kim.delegations({ all: true })).rejects.toMatchObject({ status: 403 });
    await expect(site.client('other/lin').revokeDelegation(id)).rejects.toMatchObject({
      status: 404,
    });
    expect((await site.client('acme/root').delegations({ all: true })).items).toHaveLength(1);

    const revoked = await site.client(BOB).revokeDelegation(id);
    expect(revoked).toMatchObject({ id, revokedBy: { id: 'bob' } });
    expect((await client.delegations({ live: true })).items).toEqual([]);
  });

  it('can lend only roles that they have', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, { roles: ['lead'] });
    const until = new Date(opened.clock.now() + HOUR).toISOString();
    const to = { id: 'bob' };

    const lent = site.client(LIN).delegate({ to, until, roles: ['board'] });
    await expect(lent).rejects.toMatchObject({ status: 422, code: 'delegation-does-not-fit' });
    const late = site.client(LIN).delegate({ to, until: new Date(0).toISOString() });
    await expect(late).rejects.toMatchObject({ status: 422 });
    const self = await site.ask(LIN, 'POST', '/v1/delegations', { to: { id: 'Lin' }, until });
    expect(self.status).toBe(400);
  });

  it('may be forbidden to delegate', async () => {
    await using opened = await open();
    const site = siteWith(
      opened.store,
      { roles: ['lead'] },
      { authorizeAction: (_caller, action) => action !== 'delegate' },
    );
    const until = new Date(opened.clock.now() + HOUR).toISOString();

    const created = site.client(LIN).delegate({ to: { id: 'bob' }, until });

    await expect(created).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });
});

describe.each(STORES)('comments over HTTP %s', (_, open) => {
  it('are for everyone who may read the hold, without redacted values', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => bank } },
      redact: { pay: ['to'] },
      denyReasons: ['Too expensive', 'Wrong supplier'],
    });
    const site = siteOf(
      desk,
      { authorizeAction: ({ person }, action) => action !== 'comment' || person.id !== 'eve' },
      bank,
    );
    await startedRun(site, 'pay acme12345');
    const { items } = await site.client(LIN).holds();
    const { id } = items[0]!;

    const created = await site
      .client(LIN)
      .comment(id, { text: 'Is acme12345 <script>right</script>?' });

    const text = 'Is [redacted] <script>right</script>?';
    expect(created).toMatchObject({ number: 1, by: { id: 'lin' }, text });
    expect((await site.client(BOB).comments(id)).items).toEqual([created]);
    await expect(site.client('acme/eve').comment(id, { text: 'x' })).rejects.toMatchObject({
      status: 403,
    });
    await expect(site.client('other/lin').comments(id)).rejects.toMatchObject({ status: 404 });
    await expect(site.client(LIN).comment(id, { text: '' })).rejects.toMatchObject({ status: 400 });
    expect((await site.client(LIN).me()).denyReasons).toEqual(['Too expensive', 'Wrong supplier']);
  });
});
