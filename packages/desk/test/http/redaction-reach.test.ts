import { openDesk, type Redact } from '@holdpoint/desk';
import { Agent, type JsonObject, type Message, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { output } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { countingStore } from './support/counting-store.ts';
import { type Site, siteOf } from './support/site.ts';

const PASSWORD = 'hunter2-9f3a-44b1';

/** Calls `send` with the JSON of the prompt. */
const sendModel = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt') return says('Sent.');
  return calls('send', JSON.parse(String(last.content)));
});

const send = tool({
  name: 'send',
  inputSchema: z.object({ password: z.string(), subject: z.string() }),
  requiresApproval: true,
  preview: ({ subject }) => `Sends ${subject}`,
  execute: ({ subject }) => `sent ${subject}`,
});

const sender = new Agent({ model: sendModel, tools: [send], output });

const HIDE: Redact = { send: ['password'] };

function senderDesk({ store }: OpenedStore, redact: Redact | undefined, notRequester = false) {
  const counted = countingStore(store);
  const desk = openDesk({ store: counted.store, agents: { sender: { agent: sender } }, redact });
  const site = siteOf(desk, { notRequester });
  const start = async (args: Record<string, string>) => {
    const prompt = JSON.stringify(args);
    const { body } = await site.ask('acme/ada', 'POST', '/v1/runs', { agent: 'sender', prompt });
    await desk.forTenant('acme').work({ runId: body.id });
    return body as { id: string; conversationId: string };
  };
  const queriesOf = async (path: string) => {
    const before = counted.queries().length;
    const { status, body } = await site.ask('acme/grace', 'GET', path);
    expect(status).toBe(200);
    return { queries: counted.queries().slice(before), items: body.items as unknown[] };
  };
  return { desk, site, start, queriesOf };
}

const searchFor = (text: string) => `/v1/holds?text=${encodeURIComponent(text)}`;

describe.each(STORES)('security M5a: a search %s', (_, open) => {
  it('causes the same reads for a part of a redacted value as for any other text', async () => {
    await using opened = await open();
    const { start, queriesOf } = senderDesk(opened, HIDE);
    for (let index = 0; index < 3; index++) {
      await start({ password: PASSWORD, subject: `mail ${index}` });
    }

    const ofRandom = await queriesOf(searchFor('zzzzzz'));

    for (const part of ['"password":"h', '"password":"hunter2', 'hunter2', 'HUNTER', '44b1']) {
      expect(await queriesOf(searchFor(part))).toEqual(ofRandom);
    }
    expect((await queriesOf(searchFor('MAIL 1'))).items).toHaveLength(1);
    expect((await queriesOf(searchFor('[redacted]'))).items).toHaveLength(3);
  });

  it('does not search texts of other rules until a worker has applied the rules', async () => {
    await using opened = await open();
    const before = senderDesk(opened, undefined);
    await before.start({ password: PASSWORD, subject: PASSWORD });
    expect((await before.queriesOf(searchFor('hunter2'))).items).toHaveLength(1);

    const after = senderDesk(opened, HIDE);
    expect((await after.queriesOf(searchFor('hunter2'))).items).toEqual([]);
    expect((await after.queriesOf(searchFor('send'))).items).toEqual([]);
    const listed = await after.queriesOf('/v1/holds');
    expect(JSON.stringify(listed.items)).not.toContain('hunter2');
    const stop = new AbortController();
    const working = after.desk.startWorker({ signal: stop.signal });
    await expect.poll(async () => (await after.queriesOf(searchFor('send'))).items.length).toBe(1);
    stop.abort();
    await working;

    expect((await after.queriesOf(searchFor('hunter2'))).items).toEqual([]);
    expect((await after.queriesOf('/v1/holds')).queries.length).toBeLessThan(listed.queries.length);
  });

  it('does not find an earlier hold by a value that a later call made secret', async () => {
    await using opened = await open();
    const { desk, site, start, queriesOf } = senderDesk(opened, HIDE);
    const { id, conversationId } = await start({ password: 'other-password', subject: PASSWORD });
    const acme = desk.forTenant('acme');
    const path = `${searchFor('hunter2')}&states=consumed&states=cancelled&states=open`;
    expect((await queriesOf(path)).items).toHaveLength(1);
    await acme.cancel(id, { by: { id: 'ada' } });

    const prompt = JSON.stringify({ password: PASSWORD, subject: 'again' });
    const later = await site.ask('acme/ada', 'POST', '/v1/runs', {
      agent: 'sender',
      prompt,
      conversationId,
    });
    await acme.work({ runId: later.body.id });

    expect((await queriesOf(path)).items).toEqual([]);
  });
});

describe.each(STORES)('desk B14: a list of holds %s', (_, open) => {
  it.each([
    ['', false],
    ['mine=true&', false],
    ['mine=true&', true],
    [`text=mail&`, true],
  ])('needs the same queries for 3 holds and for 30, with %s', async (query, notRequester) => {
    await using opened = await open();
    const { start, queriesOf } = senderDesk(opened, HIDE, notRequester);
    const add = async (count: number) => {
      for (let index = 0; index < count; index++) {
        await start({ password: PASSWORD, subject: `mail ${index}` });
      }
    };

    await add(3);
    const few = await queriesOf(`/v1/holds?${query}limit=50`);
    await add(27);
    const many = await queriesOf(`/v1/holds?${query}limit=50`);

    expect([few.items.length, many.items.length]).toEqual([3, 30]);
    expect(many.queries).toEqual(few.queries);
    expect(many.queries.length).toBeLessThan(10);
  });
});

const SSN = '078-05-1120';

/** Calls `lookup`, which needs no approval, and repeats the result. */
const repeating = (toolName: string, args: JsonObject) =>
  functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind === 'user-prompt') return calls(toolName, args);
    return says(`Found ${JSON.stringify(resultsIn(messages))}`);
  });

function resultsIn(messages: readonly Message[]): unknown[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'tool-return' ? [part.content] : [])),
  );
}

const lookup = tool({
  name: 'lookup',
  inputSchema: z.object({ ssn: z.string() }),
  readOnly: true,
  execute: ({ ssn }) => `record of ${ssn}`,
});

const clerk = new Agent({
  name: 'clerk',
  model: repeating('lookup', { ssn: SSN }),
  tools: [lookup],
  output,
});

async function allOf(site: Site, { id, conversationId }: { id: string; conversationId: string }) {
  const paths = [
    `/v1/runs/${id}`,
    `/v1/conversations/${conversationId}/messages`,
    `/v1/runs/${id}/audit`,
  ];
  const texts: string[] = [];
  for (const path of paths) texts.push((await site.ask('acme/grace', 'GET', path)).text);
  return texts.join('\n');
}

describe.each(STORES)('security M5b: a redacted argument of a sub-agent %s', (_, open) => {
  it('is in no output and no history, although its call needed no approval', async () => {
    await using opened = await open();
    const { store } = opened;
    const boss = new Agent({
      model: repeating('clerk', { prompt: 'Look it up.' }),
      tools: [clerk.asTool({ description: 'Looks people up.' })],
      output,
    });
    const desk = openDesk({
      store,
      agents: { boss: { agent: boss } },
      redact: { lookup: ['ssn'] },
    });
    const site = siteOf(desk);
    const { body } = await site.ask('acme/ada', 'POST', '/v1/runs', {
      agent: 'boss',
      prompt: 'go',
    });

    const run = await desk.forTenant('acme').work({ runId: body.id });

    expect(run).toMatchObject({ state: 'finished', output: expect.stringContaining(SSN) });
    const seen = await allOf(site, body);
    expect(seen).toContain('[redacted]');
    expect(seen).not.toContain(SSN);
  });
});

describe.each(STORES)('security M5b: a redacted argument of an edit %s', (_, open) => {
  it('is in no output although a process without the rules recorded the edit', async () => {
    await using opened = await open();
    const { store } = opened;
    const repeat = tool({
      name: 'lookup',
      inputSchema: z.object({ ssn: z.string() }),
      requiresApproval: true,
      execute: ({ ssn }) => `record of ${ssn}`,
    });
    const model = repeating('lookup', { ssn: 'unknown-yet' });
    const agents = { clerk: { agent: new Agent({ model, tools: [repeat], output }) } };
    const desk = openDesk({ store, agents, redact: { lookup: ['ssn'] } });
    const site = siteOf(desk);
    const { body } = await site.ask('acme/ada', 'POST', '/v1/runs', {
      agent: 'clerk',
      prompt: 'go',
    });
    const acme = desk.forTenant('acme');
    await acme.work({ runId: body.id });
    const [hold] = (await acme.holds()).items;

    const { id, digest } = hold!;
    const decision = { kind: 'approve', args: { ssn: SSN } } as const;
    await openDesk({ store, agents })
      .forTenant('acme')
      .decide(id, decision, { by: { id: 'grace' }, digest });
    const run = await acme.work({ runId: body.id });

    expect(run).toMatchObject({ state: 'finished', output: expect.stringContaining(SSN) });
    expect(await allOf(site, body)).not.toContain(SSN);
  });
});

describe.each(STORES)('security M5c: a redacted value %s', (_, open) => {
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ card: z.string(), cvc: z.string(), key: z.string() }),
    requiresApproval: true,
    preview: ({ card, cvc, key }) => ({
      text: `Card ${card.replaceAll(/(.{4})(?=.)/g, '$1 ')} with ${cvc}, key ${key.toUpperCase()}. Code 1234567.`,
      cvc: Number(cvc),
      last: card.slice(-4),
    }),
    execute: () => 'paid',
  });
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
      ? calls('pay', { card: '4111111111111111', cvc: '345', key: 'sk-abcd' })
      : says('Paid.'),
  );
  const agent = new Agent({ model, tools: [pay], output });
  const previewUnder = async (opened: OpenedStore, redact: Redact) => {
    const desk = openDesk({ store: opened.store, agents: { payer: { agent } }, redact });
    const site = siteOf(desk);
    const { body } = await site.ask('acme/ada', 'POST', '/v1/runs', {
      agent: 'payer',
      prompt: 'go',
    });
    await desk.forTenant('acme').work({ runId: body.id });
    return (await site.ask('acme/grace', 'GET', '/v1/holds')).body.items[0].preview;
  };

  it('is found in a preview if it is short, in other letter case or has spaces inside', async () => {
    await using opened = await open();

    const preview = await previewUnder(opened, { pay: ['card', 'cvc', 'key'] });

    expect(preview).toEqual({
      text: 'Card [redacted] with [redacted], key [redacted]. Code 1234567.',
      cvc: '[redacted]',
      last: '1111',
    });
  });

  it('is left out of the preview by a function of the application', async () => {
    await using opened = await open();
    const withoutLast = (preview: unknown) => ({ ...(preview as object), last: 'hidden' });

    const preview = await previewUnder(opened, {
      pay: { args: ['card', 'cvc', 'key'], preview: withoutLast },
    });

    expect(preview).toMatchObject({ last: 'hidden', cvc: '[redacted]' });
    const failing = await open();
    const throwing = () => {
      throw new Error('No preview.');
    };
    const all = await previewUnder(failing, { pay: { args: ['card'], preview: throwing } });
    await failing[Symbol.asyncDispose]();
    expect(all).toBe('[redacted]');
  });
});
