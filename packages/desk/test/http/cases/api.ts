import { signRunAudit, verifyAudit } from '@holdpoint/desk';
import { DeskClientError } from '@holdpoint/desk/client';
import { messageCodec } from 'holdpoint';
import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/http/endpoints/index.ts';
import { KEY, PUBLIC_KEYS } from '../../support/sample-audit.ts';
import type { OpenHttpStore } from '../support/http-store.ts';
import { siteOn, startedRun } from '../support/site.ts';

/** What a desk does over HTTP, on whichever store. */
export function apiCases(open: OpenHttpStore): void {
  it('takes a run from its start to its end', async () => {
    await using opened = await open();
    const { desk, bank, client } = siteOn(opened.store);
    const ada = client('acme/ada');
    const grace = client('acme/grace');

    const started = await ada.start({ agent: 'teller', prompt: 'pay acme, look_up x' });
    expect(started).toMatchObject({ state: 'ready', requester: { id: 'ada' } });
    expect(started.id).toMatch(/^[0-9a-f]{32}$/);
    await desk.forTenant('acme').work({ runId: started.id });

    const { items } = await grace.holds({ runId: started.id });
    expect(items).toMatchObject([
      { toolName: 'pay', args: { to: 'acme' }, preview: '10 euros go to acme', redacted: false },
      { toolName: 'look_up', kind: 'external' },
    ]);
    const [pay, lookUp] = items;
    await grace.answer(pay!.id, { digest: pay!.digest, answer: { kind: 'approve' } });
    await grace.answer(lookUp!.id, {
      digest: lookUp!.digest,
      answer: { kind: 'result', value: { found: 1 } },
    });
    expect((await ada.run(started.id)).state).toBe('ready');
    await desk.forTenant('acme').work({ runId: started.id });

    expect(await ada.run(started.id)).toMatchObject({
      state: 'finished',
      output: 'I was told: "10 paid to acme" | {"found":1}',
    });
    expect(bank.paid).toMatchObject([{ to: 'acme', euros: 10 }]);
    expect(await ada.hold(pay!.id)).toMatchObject({
      hold: { state: 'consumed', outcome: 'decided' },
      answers: [{ by: { id: 'grace' }, answer: { kind: 'approve' }, digest: pay!.digest }],
    });
    expect(messageCodec.fromJSON(await ada.history(started.conversationId))).toHaveLength(4);
    const audit = await ada.audit(started.id);
    expect(audit.map(({ kind }) => kind)).toContain('hold-answered');
    expect(await ada.audit(started.id, { after: 2, limit: 1 })).toEqual([audit[2]]);
    expect(await ada.health()).toEqual({ status: 'ok' });
  });

  it('gives an audit that whoever may see it can verify', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    const runId = await startedRun(site, 'pay acme');
    const { tenant, agents } = await ada.me();
    const checkpoint = await signRunAudit(opened.store, { tenant, runId, key: KEY });
    const verify = (entries: readonly unknown[]) =>
      verifyAudit({ tenant, entries, checkpoints: [checkpoint], publicKeys: PUBLIC_KEYS });

    const entries = await ada.audit(runId);

    expect(agents).toEqual(['teller']);
    expect(await verify(entries)).toMatchObject({
      status: 'intact',
      entries: entries.length,
      signedEntries: entries.length,
    });
    const [first, ...others] = entries;
    expect((await verify(others)).status).toBe('damaged');
    expect((await verify([{ ...first, by: { id: 'eve' } }, ...others])).status).toBe('damaged');
    const pages: unknown[] = [];
    for (let after: string | undefined = '0'; after !== undefined; ) {
      const { body } = await site.ask(
        'acme/ada',
        'GET',
        `/runs/${runId}/audit?limit=1&after=${after}`,
      );
      pages.push(...body.items);
      after = body.next;
    }
    expect(pages).toEqual(entries);
  });

  it('takes every kind of answer', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const grace = site.client('acme/grace');
    const runId = await startedRun(site, 'pay a, pay b, pay c, look_up d, look_up e, look_up f');
    const answers = [
      { kind: 'approve' },
      { kind: 'edit', args: { to: 'bb', euros: 7 } },
      { kind: 'deny', message: 'Not c.' },
      { kind: 'result', value: null },
      { kind: 'retry', message: 'Say more.' },
      { kind: 'fail', message: 'No such thing.' },
    ] as const;

    const { items } = await grace.holds({ runId });
    for (const [index, { id, digest }] of items.entries()) {
      const answer = answers[index]!;
      const isEdit = answer.kind === 'edit';
      const shown = isEdit ? (await grace.check(id, { args: answer.args })).shown : undefined;
      await grace.answer(id, { digest, answer, shown });
    }
    await site.desk.forTenant('acme').work({ runId });

    expect((await grace.run(runId)).output).toBe(
      'I was told: "10 paid to a" | "7 paid to bb" | "Not c." | null | "Say more." | "No such thing."',
    );
  });

  it('lists and searches in pages', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    const runs: string[] = [];
    for (const to of ['one', 'two', 'three']) {
      runs.push(await startedRun(site, `pay ${to}`));
      await opened.clock.advance(1);
    }

    const first = await ada.runs({ limit: 2, states: ['parked', 'ready'] });
    const second = await ada.runs({ limit: 2, states: ['parked', 'ready'], after: first.next });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(runs.toReversed());
    expect(second.next).toBeUndefined();
    expect((await ada.runs({ states: ['finished'] })).items).toEqual([]);
    expect((await ada.holds({ text: 'TWO' })).items).toMatchObject([{ args: { to: 'two' } }]);
    expect((await ada.holds({ states: ['decided'] })).items).toEqual([]);
    expect((await ada.holds({ limit: 1 })).next).toBeDefined();
  });

  it('says something in a conversation, cancels, and gives one run for one key', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    const start = { agent: 'teller', prompt: 'pay a', idempotencyKey: 'once' };
    const { id, conversationId } = await ada.start(start);
    expect((await ada.start(start)).id).toBe(id);
    await site.desk.forTenant('acme').work({ runId: id });

    const refused = ada.message(conversationId, { prompt: 'Hello?' });
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'open-holds' });
    const heard = await ada.message(conversationId, {
      prompt: 'Never mind.',
      onOpenHolds: 'supersede',
    });
    expect(heard).toMatchObject({ id, state: 'ready' });
    await site.desk.forTenant('acme').work({ runId: id });
    expect((await ada.run(id)).state).toBe('finished');

    const next = await ada.message(conversationId, { prompt: 'pay b' });
    expect(next.id).not.toBe(id);
    expect(await ada.cancel(next.id)).toMatchObject({ state: 'cancelled' });
    expect(await ada.cancel(next.id)).toMatchObject({ state: 'cancelled' });
    await expect(ada.cancel(id)).rejects.toMatchObject({ status: 409, code: 'run-ended' });
    await expect(ada.retry(id)).rejects.toThrow(DeskClientError);
    expect(site.bank.paid).toEqual([]);
  });

  it('answers as its OpenAPI document says', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const runId = await startedRun(site, 'pay a, look_up b');
    const ask = (path: string, body?: unknown) =>
      site.ask('acme/ada', body === undefined ? 'GET' : 'POST', path, body);
    const [hold] = (await ask('/holds')).body.items;
    const conversation = `/conversations/${hold.conversationId}/messages`;
    const answers: Record<string, unknown> = {
      startRun: (await ask('/runs', { agent: 'teller', prompt: 'Hi' })).body,
      listRuns: (await ask('/runs')).body,
      getRun: (await ask(`/runs/${runId}`)).body,
      getAudit: (await ask(`/runs/${runId}/audit`)).body,
      verifyAudit: (await ask(`/runs/${runId}/audit/verification`)).body,
      getHistory: (await ask(conversation)).body,
      checkEdit: (await ask(`/holds/${hold.id}/check`, { args: { euros: -1 } })).body,
      listHolds: (await ask('/holds')).body,
      answerHold: (
        await ask(`/holds/${hold.id}/answer`, {
          digest: hold.digest,
          answer: { kind: 'approve' },
          remember: { match: { args: { to: 'a' } } },
        })
      ).body,
      ...(await grantAnswers()),
      getHold: (await ask(`/holds/${hold.id}`)).body,
      sendMessage: (await ask(conversation, { prompt: 'x', onOpenHolds: 'supersede' })).body,
      cancelRun: (await ask(`/runs/${runId}/cancel`, {})).body,
      getMe: (await ask('/me')).body,
      getHealth: (await ask('/health')).body,
    };

    async function grantAnswers() {
      const listGrants = (await ask('/grants?live=true')).body;
      const [grant] = listGrants.items;
      return {
        listGrants,
        getGrant: (await ask(`/grants/${grant.id}`)).body,
        revokeGrant: (await ask(`/grants/${grant.id}/revoke`, {})).body,
      };
    }

    for (const { name, result } of ENDPOINTS) {
      if (name === 'retryRun') continue;
      expect(result.safeParse(answers[name]), name).toMatchObject({ success: true });
    }
  });
}
