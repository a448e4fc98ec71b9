import { openDesk, type Redact } from '@holdpoint/desk';
import { Agent, type RunContext, tool, ToolFailed } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastContents, output } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { type Site, siteOf } from './support/site.ts';

const SECRET = 'sk-"hunter2"\\n$1(secret)';
const NEW_SECRET = 'sk-another-secret';
const PIN = 87_654_321;

/** A tool that puts the secret in all of its texts. */
const charge = tool({
  name: 'charge',
  inputSchema: z.object({
    card: z.object({ token: z.string(), pin: z.number().optional() }),
    euros: z.number().default(5),
  }),
  requiresApproval: true,
  preview: ({ card, euros }) => ({ text: `${euros} from ${card.token}`, token: card.token }),
  execute({ card }, ctx: RunContext<string[]>) {
    ctx.deps.push(card.token);
    if (card.token === NEW_SECRET) throw new ToolFailed(`No such card: ${card.token}`);
    return { charged: card.token, pin: card.pin, json: JSON.stringify(card) };
  },
});

const note = tool({
  name: 'note',
  inputSchema: z.object({ text: z.string() }),
  requiresApproval: true,
  execute: ({ text }) => text,
});

/** Repeats all results. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt') return says(`Results: ${lastContents(messages)}`);
  const card = { token: SECRET, pin: PIN };
  return last.content === 'both'
    ? responds(calls('charge', { card }), calls('note', { text: `remember ${SECRET}` }))
    : calls('charge', { card });
});

const agent = new Agent({ model, tools: [charge, note], output });

const RULES: readonly (readonly [string, Redact])[] = [
  ['by the names of members', { charge: ['token', 'pin', 'card_number'] }],
  ['by a function', { charge: (args) => ({ ...(args as object), card: 'a card' }) }],
  [
    'by a function that fails',
    {
      charge: () => {
        throw new Error(SECRET);
      },
    },
  ],
];

/** Returns all responses that a caller can read, as one text. */
async function allSeen(site: Site): Promise<string> {
  const texts: string[] = [];
  const see = async (path: string) => {
    const { text, body, status } = await site.ask('acme/grace', 'GET', path);
    expect(status, path).toBe(200);
    texts.push(text);
    return body;
  };
  const states = ['open', 'decided', 'consumed', 'cancelled', 'expired', 'superseded'];
  const { items: holds } = await see(`/v1/holds?${states.map((one) => `states=${one}`).join('&')}`);
  for (const { id } of holds) await see(`/v1/holds/${id}`);
  const { items: runs } = await see('/v1/runs');
  for (const { id, conversationId } of runs) {
    await see(`/v1/runs/${id}`);
    await see(`/v1/runs/${id}/audit`);
    await see(`/v1/conversations/${conversationId}/messages`);
  }
  return texts.join('\n');
}

function expectNoSecret(text: string): void {
  const inJson = JSON.stringify(SECRET).slice(1, -1);
  const twice = JSON.stringify(inJson).slice(1, -1);
  for (const one of [SECRET, inJson, twice, 'hunter2', NEW_SECRET, String(PIN)]) {
    expect(text).not.toContain(one);
  }
}

const setUp = ({ store }: OpenedStore, redact: Redact) => {
  const charged: string[] = [];
  const desk = openDesk({ store, agents: { cashier: { agent, deps: () => charged } }, redact });
  const errors: unknown[] = [];
  const site = siteOf(desk, { onError: (error) => errors.push(error) });
  const start = async (prompt: string) => {
    const started = await site.ask('acme/ada', 'POST', '/v1/runs', { agent: 'cashier', prompt });
    await desk.forTenant('acme').work({ runId: started.body.id });
    return started.body.id as string;
  };
  return { site, desk: desk.forTenant('acme'), charged, errors, start };
};

describe.each(STORES)('secrets in arguments %s', (_, open) => {
  describe.each(RULES)('that are redacted %s', (_rule, redact) => {
    it('are in no response, and the executed call receives them', async () => {
      await using opened = await open();
      const { site, desk, charged, errors, start } = setUp(opened, redact);
      const runId = await start('both');
      expectNoSecret(await allSeen(site));

      const { items } = await desk.holds({ runId });
      for (const { id, digest } of items) {
        const body = { digest, decision: { kind: 'approve' } };
        const decision = await site.ask('acme/grace', 'POST', `/v1/holds/${id}/decision`, body);
        expect(decision.status).toBe(200);
        expectNoSecret(decision.text);
      }
      await desk.work({ runId });

      expect((await desk.run(runId)).output).toContain('hunter2');
      expect(charged).toEqual([SECRET]);
      expectNoSecret(await allSeen(site));
      expect(errors).toEqual([]);
    });

    it('are in no response after an edit whose call fails', async () => {
      await using opened = await open();
      const { site, desk, charged, start } = setUp(opened, redact);
      const runId = await start('one');
      const [hold] = (await desk.holds({ runId })).items;
      const decision = { kind: 'approve', args: { card: { token: NEW_SECRET, pin: PIN } } };

      const path = `/v1/holds/${hold!.id}`;
      const { args } = decision;
      const { body } = await site.ask('acme/grace', 'POST', `${path}/edit-preview`, { args });
      const edited = await site.ask('acme/grace', 'POST', `${path}/decision`, {
        digest: hold!.digest,
        decision,
        shown: body.shown,
      });
      expectNoSecret(edited.text);
      await desk.work({ runId });

      expect(charged).toEqual([NEW_SECRET]);
      expect((await desk.run(runId)).output).toContain(NEW_SECRET);
      expectNoSecret(await allSeen(site));
    });
  });

  it('cannot be found by a search for parts of them', async () => {
    await using opened = await open();
    const { site, start } = setUp(opened, { charge: ['token', 'pin'] });
    for (let index = 0; index < 3; index++) await start('one');
    await start('both');
    const search = async (text: string, limit = 50) => {
      const path = `/v1/holds?limit=${limit}&text=${encodeURIComponent(text)}`;
      return (await site.ask('acme/grace', 'GET', path)).body;
    };

    for (const part of ['sk-', 'hunter2', '8765', 'remember sk']) {
      const { items, next } = await search(part, 1);
      expect([part, items, next]).toEqual([part, [], undefined]);
    }
    // Visible values can be found.
    expect((await search('5 from')).items).toHaveLength(4);
    expect((await search('CHARGE')).items).toHaveLength(4);
    expect((await search('ada')).items).toHaveLength(5);
    const first = await search('charge', 3);
    expect(first.items).toHaveLength(3);
    const { body } = await site.ask(
      'acme/grace',
      'GET',
      `/v1/holds?text=charge&after=${first.next}`,
    );
    expect(body.items).toHaveLength(1);
  });

  it('are not replaced by their placeholders', async () => {
    await using opened = await open();
    const { site, desk, charged, start } = setUp(opened, { charge: ['token', 'pin'] });
    await start('one');
    const [shown] = (await site.ask('acme/grace', 'GET', '/v1/holds')).body.items;
    expect(shown).toMatchObject({
      args: { card: { token: '[redacted]', pin: '[redacted]' } },
      validatedArgs: { euros: 5 },
      preview: { text: '5 from [redacted]', token: '[redacted]' },
      redacted: true,
    });

    const edited = await site.ask('acme/grace', 'POST', `/v1/holds/${shown.id}/decision`, {
      digest: shown.digest,
      decision: { kind: 'approve', args: { ...shown.args, euros: 6 } },
    });

    expect(edited).toMatchObject({
      status: 422,
      body: { code: 'redacted-value', errors: [{ path: 'card.token' }] },
    });
    expect((await desk.holds()).items).toHaveLength(1);
    expect(charged).toEqual([]);
  });

  it('stay visible for a tool without rules', async () => {
    await using opened = await open();
    const { site, start } = setUp(opened, { note: ['token'] });
    await start('one');

    const [shown] = (await site.ask('acme/grace', 'GET', '/v1/holds')).body.items;

    expect(shown).toMatchObject({ args: { card: { token: SECRET } }, redacted: false });
  });
});
