import { openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { siteOf, startedRun } from './support/site.ts';

const ADA = 'acme/ada';

describe.each(STORES)('desk B17: the beginning of an id %s', (_, open) => {
  it('finds the hold, the run and the grant with it, and sends nothing else', async () => {
    await using opened = await open();
    const bank = newBank();
    const agents = { teller: { agent: teller, deps: () => bank } };
    const approvers = { pay: { grants: 'tenant' } } as const;
    const site = siteOf(openDesk({ store: opened.store, agents, approvers }), {}, bank);
    for (const name of ['a', 'b', 'c', 'd']) await startedRun(site, `pay ${name}`);
    const client = site.client(ADA);
    const [hold] = (await client.holds()).items;
    const { id = '', runId = '', digest = '' } = hold ?? {};

    expect(await client.holds({ idPrefix: id.slice(0, 12) })).toMatchObject({ items: [{ id }] });
    expect(await client.runs({ idPrefix: runId.slice(0, 12) })).toMatchObject({
      items: [{ id: runId }],
    });
    const grantRequest = { match: 'tool', scope: 'tenant' } as const;
    await client.decide(id, { digest, decision: { kind: 'approve' }, grant: grantRequest });
    const [grant] = (await client.grants()).items;
    expect((await client.grants({ idPrefix: grant?.id.slice(0, 12) })).items).toHaveLength(1);
    expect((await client.holds({ idPrefix: id.slice(0, 12) })).items).toEqual([]);
    const settled = await client.holds({ idPrefix: id.slice(0, 12), states: ['decided'] });
    expect(settled.items.map((one) => one.id)).toEqual([id]);
    await expect(client.holds({ idPrefix: '%' })).rejects.toMatchObject({ status: 400 });
  });
});
