import { openDesk } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { DeskAppOptions } from '../../src/http/desk-app-options.ts';
import { output } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { siteOf } from './support/site.ts';

const PASSWORD = 'hunter2-9f3a-44b1';
const QUESTION = `Is ${PASSWORD} still valid?`;

const send = tool({
  name: 'send',
  inputSchema: z.object({ password: z.string() }),
  requiresApproval: true,
  execute: () => 'sent',
});

const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') return calls('send', { password: PASSWORD });
  return last?.kind === 'retry-prompt'
    ? responds(says(`Yes, ${PASSWORD} is.`), calls('send', { password: PASSWORD }))
    : says('Sent.');
});

/** A desk whose run has parked again after changes were requested. */
async function requested({ store }: OpenedStore, options: DeskAppOptions = {}) {
  const agents = { sender: { agent: new Agent({ model, tools: [send], output }) } };
  const desk = openDesk({ store, agents, redact: { send: ['password'] } });
  const site = siteOf(desk, options);
  const acme = desk.forTenant('acme');
  const runId = await acme.start('sender', 'Go.', { requester: { id: 'ada' } });
  await acme.work({ runId });
  const { items } = await site.client('acme/bob').holds({ runId });
  const [{ id: first, digest } = { id: '', digest: '' }] = items;
  await site.client('acme/bob').decide(first, {
    digest,
    decision: { kind: 'retry', message: QUESTION },
  });
  await acme.work({ runId });
  const [second] = (await acme.holds({ runId })).items;
  return { site, runId, first, second: second?.id ?? '' };
}

describe.each(STORES)('requested changes over HTTP %s', (_, open) => {
  it('are listed with the response of the model, without redacted values', async () => {
    await using opened = await open();
    const { site, first, second } = await requested(opened);
    const grace = site.client('acme/grace');

    const { items } = await grace.requestedChanges(second);

    expect(items).toEqual([
      {
        holdId: first,
        message: 'Is [redacted] still valid?',
        by: { id: 'bob' },
        at: expect.any(String),
        response: { text: 'Yes, [redacted] is.', holdIds: [second] },
      },
    ]);
    expect((await grace.requestedChanges(first)).items).toEqual(items);
    const other = await site.ask('other/grace', 'GET', `/v1/holds/${second}/requested-changes`);
    expect(other.status).toBe(404);
  });

  it('omit what the caller may not read', async () => {
    await using opened = await open();
    const hidden = new Set<string>();
    const { site, runId, first, second } = await requested(opened, {
      authorizeAction: (_caller, _action, target) => {
        if (target.kind === 'hold') return !hidden.has(target.hold.id);
        return target.kind !== 'run' || !hidden.has(target.run.id);
      },
    });
    const grace = site.client('acme/grace');

    hidden.add(runId);
    const [withoutResponse] = (await grace.requestedChanges(second)).items;
    expect(withoutResponse).toMatchObject({ holdId: first, by: { id: 'bob' } });
    expect(withoutResponse?.response).toBeUndefined();
    hidden.add(first);
    expect((await grace.requestedChanges(second)).items).toEqual([]);
    hidden.clear();
    hidden.add(second);
    const [own] = (await grace.requestedChanges(first)).items;
    expect(own?.response).toMatchObject({ holdIds: [] });
  });

  it('need a text', async () => {
    await using opened = await open();
    const { site, second } = await requested(opened);
    const { hold } = await site.client('acme/grace').hold(second);

    const decision = { kind: 'retry', message: ' ' };
    const body = { digest: hold.digest, decision };
    const path = `/v1/holds/${second}/decision`;

    expect((await site.ask('acme/grace', 'POST', path, body)).status).toBe(400);
    expect((await site.client('acme/grace').hold(second)).decisions).toEqual([]);
  });
});
