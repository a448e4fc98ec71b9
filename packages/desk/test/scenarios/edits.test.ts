import {
  type Approvers,
  type Desk,
  type Decision,
  type HoldRow,
  openDesk,
  type Store,
} from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { echoModel, output } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold } from '../support/people.ts';

const BOB = { id: 'bob' };
const CY = { id: 'cy' };

/** A shop whose price may change while a call waits. */
interface Shop {
  price: number;
  readonly bought: unknown[];
  requests: number;
}

/** An agent that buys what its prompt says, with a preview of the price. */
function buyer(shop: Shop) {
  const buy = tool({
    name: 'buy',
    inputSchema: z.object({ item: z.string(), note: z.string().default('none') }),
    requiresApproval: true,
    argsValidator: () => {},
    preview: ({ item }) => `${item} costs ${shop.price} euros`,
    execute: (args) => {
      shop.bought.push(args);
      return 'bought';
    },
  });
  const model = functionModel(({ messages }) => {
    shop.requests += 1;
    const last = messages.at(-1)?.parts.at(-1);
    return last?.kind === 'user-prompt' ? calls('buy', { item: 'lamp' }) : says('Done.');
  });
  return new Agent({ name: 'buyer', model, tools: [buy], output });
}

function shopOn(store: Store, approvers?: Approvers) {
  const shop: Shop = { price: 10, bought: [], requests: 0 };
  const agents = { buyer: { agent: buyer(shop) } };
  return { shop, desk: openDesk({ store, agents, ...(approvers && { approvers }) }) };
}

async function parked(desk: Desk, name: 'buyer' | 'teller' = 'buyer', prompt = 'Buy.') {
  const runId = await desk.start(name, prompt, { requester: ADA });
  await desk.work({ runId });
  return { runId, hold: await onlyHold(desk, runId) };
}

function decide(
  desk: Desk,
  { id, digest }: HoldRow,
  by: { readonly id: string },
  decision: Decision = { kind: 'approve' },
  shown?: string,
): Promise<HoldRow> {
  return desk.decide(id, decision, { by, digest, shown });
}

const note = (text: string) => ({ item: 'lamp', note: text });
const editNote = (text: string): Decision => ({ kind: 'approve', args: note(text) });

describe.each(STORES)('an edit that its tool describes %s', (_, open) => {
  it('is validated by the tool, with its preview, and nothing executes', async () => {
    await using opened = await open();
    const { desk, shop } = shopOn(opened.store);
    const { hold } = await parked(desk);
    const { requests } = shop;

    expect(await desk.previewEdit(hold.id, { item: 'chair' })).toEqual({
      problems: [],
      args: { item: 'chair', note: 'none' },
      preview: 'chair costs 10 euros',
      shown: expect.any(String),
    });
    expect(await desk.previewEdit(hold.id, { item: 7 })).toMatchObject({
      problems: [{ path: '/item', message: expect.any(String) }],
    });
    expect(shop).toMatchObject({ bought: [], requests });
    expect((await desk.run(hold.runId)).state).toBe('parked');
  });

  it('says what the policy demands for the edited call', async () => {
    await using opened = await open();
    const { desk } = shopOn(opened.store, ({ args, preview }) => ({
      count:
        (args as { item: string }).item === 'chair' && String(preview).startsWith('chair') ? 3 : 1,
    }));
    const { hold } = await parked(desk);
    const { requirement } = await desk.previewEdit(hold.id, { item: 'chair' });
    expect(requirement).toMatchObject({ count: 3 });
  });

  it('counts as a vote of its author if they confirm what they were shown', async () => {
    await using opened = await open();
    const { desk, shop } = shopOn(opened.store);
    const { runId, hold } = await parked(desk);
    const { shown } = await desk.previewEdit(hold.id, note('gift'));

    const edited = await decide(desk, hold, BOB, editNote('gift'), shown);

    expect(edited).toMatchObject({
      state: 'decided',
      proposal: { shown: { args: note('gift'), preview: 'lamp costs 10 euros' } },
    });
    await desk.work({ runId });
    expect(shop.bought).toEqual([note('gift')]);
  });

  it('is a proposal without a vote if they do not, and they approve it afterwards', async () => {
    await using opened = await open();
    const { desk, shop } = shopOn(opened.store);
    const { runId, hold } = await parked(desk);

    const edited = await decide(desk, hold, BOB, editNote('gift'));
    expect(edited).toMatchObject({ state: 'open', votes: [] });
    expect(await decide(desk, edited, BOB)).toMatchObject({ state: 'decided' });
    await desk.work({ runId });
    expect(shop.bought).toEqual([note('gift')]);
  });

  it('security M2: is rejected as `stale-edit` if it would execute something else by now', async () => {
    await using opened = await open();
    const { desk, shop } = shopOn(opened.store);
    const { hold } = await parked(desk);
    const { shown } = await desk.previewEdit(hold.id, note('gift'));
    shop.price = 1_000;

    await expect(decide(desk, hold, BOB, editNote('gift'), shown)).rejects.toMatchObject({
      code: 'stale-edit',
    });
    await expect(decide(desk, hold, BOB, editNote('other'), 'forged')).rejects.toMatchObject({
      code: 'stale-edit',
    });
    expect((await desk.hold(hold.id)).decisions).toEqual([]);
  });

  it('security M2: does not execute if its preview changes after it was approved', async () => {
    await using opened = await open();
    const { desk, shop } = shopOn(opened.store);
    const { runId, hold } = await parked(desk);
    const { shown } = await desk.previewEdit(hold.id, note('gift'));
    await decide(desk, hold, BOB, editNote('gift'), shown);
    shop.price = 1_000;

    expect((await desk.work({ runId })).state).toBe('parked');

    expect(shop.bought).toEqual([]);
    const again = await onlyHold(desk, runId);
    expect(again).toMatchObject({ drifted: true, preview: 'lamp costs 1000 euros' });
    await decide(desk, again, BOB);
    await desk.work({ runId });
    expect(shop.bought).toEqual([note('gift')]);
  });

  it('is validated by the schema alone where the agent is missing, and the worker checks the rest', async () => {
    await using opened = await open();
    const { desk, shop } = shopOn(opened.store);
    const { runId, hold } = await parked(desk);
    const bare = openDesk({ store: opened.store, agents: {} });

    expect(await bare.previewEdit(hold.id, { item: 'chair' })).toMatchObject({
      problems: [],
      args: { item: 'chair' },
    });
    expect((await bare.previewEdit(hold.id, { item: 7 })).problems).toHaveLength(1);
    expect(await decide(bare, hold, BOB, editNote('gift'))).toMatchObject({ state: 'decided' });
    await desk.work({ runId });
    expect(shop.bought).toEqual([note('gift')]);
  });
});

describe.each(STORES)('an edit of a tool with an asynchronous schema %s', (_, open) => {
  it('is described with the values that the schema looks up', async () => {
    await using opened = await open();
    const lookUp = async (to: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      return `account of ${to}`;
    };
    const pay = tool({
      name: 'pay',
      inputSchema: z
        .object({ to: z.string() })
        .transform(async ({ to }) => ({ to, account: await lookUp(to) })),
      requiresApproval: true,
      execute: () => 'paid',
    });
    const agent = new Agent({ name: 'payer', model: echoModel, tools: [pay], output });
    const desk = openDesk({ store: opened.store, agents: { teller: { agent } } });
    const { hold } = await parked(desk, 'teller', 'pay acme');

    const edit = await desk.previewEdit(hold.id, { to: 'zeta' });

    expect(edit).toMatchObject({ problems: [], args: { to: 'zeta', account: 'account of zeta' } });
  });
});

/** Sends to all by default. */
const sender = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
    ? calls('send', { to: 'ada', all: true })
    : says('Done.'),
);
const delegating = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
    ? calls('clerk', { prompt: 'Send.' })
    : says('Done.'),
);

describe.each(STORES)('the votes for a call that is about to execute %s', (_, open) => {
  const executed: unknown[] = [];
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ to: z.string(), euros: z.number().default(10) }),
    requiresApproval: true,
    execute: (args) => {
      executed.push(args);
      return 'paid';
    },
  });
  const payer = new Agent({ name: 'payer', model: echoModel, tools: [pay], output });
  const lead = new Agent({
    name: 'lead',
    model: functionModel(({ messages }) => {
      const last = messages.at(-1)?.parts.at(-1);
      if (last?.kind !== 'user-prompt') return says('Done.');
      return calls('payer', { prompt: String(last.content) });
    }),
    tools: [payer.asTool()],
    output,
  });
  const byAmount: Approvers = ({ args }) => ({
    count: (args as { euros: number }).euros > 1_000 ? 2 : 1,
  });

  it.each([
    ['of the run itself', payer],
    ['of a sub-agent', lead],
  ])(
    'desk B1 and security H1: must suffice for it, whichever process recorded them: a call %s',
    async (_name, agent) => {
      await using opened = await open();
      executed.length = 0;
      const desk = openDesk({
        store: opened.store,
        agents: { teller: { agent } },
        approvers: byAmount,
        dynamicTools: ['pay'],
      });
      // A process without the policy, such as a command line tool on the same database.
      const bare = openDesk({ store: opened.store, agents: {} });
      const { runId, hold } = await parked(desk, 'teller', 'pay acme');
      const edit: Decision = { kind: 'approve', args: { to: 'mallory', euros: 45_000 } };
      expect(await decide(bare, hold, BOB, edit)).toMatchObject({ state: 'decided' });

      expect((await desk.work({ runId })).state).toBe('parked');

      expect(executed).toEqual([]);
      const again = await onlyHold(desk, runId);
      expect(again).toMatchObject({ approvers: { count: 2 } });
      expect(again.id).not.toBe(hold.id);
      await decide(bare, again, BOB);
      await decide(bare, again, CY);
      await desk.work({ runId });
      expect(executed).toEqual([{ to: 'mallory', euros: 45_000 }]);
    },
  );

  it.each([
    ['of the run itself', false],
    ['of a sub-agent', true],
  ])(
    'are for another call if the tool adds what the author of an edit removed: a call %s',
    async (_name, isNested) => {
      await using opened = await open();
      const sent: unknown[] = [];
      const send = tool({
        name: 'send',
        inputSchema: z.object({ to: z.string(), all: z.boolean().default(true) }),
        requiresApproval: true,
        execute: (args) => {
          sent.push(args);
          return 'sent';
        },
      });
      const clerk = new Agent({ name: 'clerk', model: sender, tools: [send], output });
      const nested = { name: 'lead', model: delegating, tools: [clerk.asTool()], output };
      const agents = { teller: { agent: isNested ? new Agent(nested) : clerk } };
      const desk = openDesk({ store: opened.store, agents });
      // A process without the agent knows the schema only.
      const bare = openDesk({ store: opened.store, agents: {} });
      const { runId, hold } = await parked(desk, 'teller', 'Send.');
      expect(hold.args).toEqual({ to: 'ada', all: true });
      const edit: Decision = { kind: 'approve', args: { to: 'ada' } };
      const { shown } = await bare.previewEdit(hold.id, { to: 'ada' });
      expect(await decide(bare, hold, BOB, edit, shown)).toMatchObject({ state: 'decided' });

      await desk.work({ runId });

      expect(sent).toEqual([]);
      const again = await onlyHold(desk, runId);
      expect(again.validatedArgs ?? again.args).toEqual({ to: 'ada', all: true });
      await decide(bare, again, BOB);
      await desk.work({ runId });
      expect(sent).toEqual([{ to: 'ada', all: true }]);
    },
  );

  it('are for another call if the tool has a preview that its approvers were not shown', async () => {
    await using opened = await open();
    const { shop, desk } = shopOn(opened.store);
    const bare = openDesk({ store: opened.store, agents: {} });
    const { runId, hold } = await parked(desk);
    const edit: Decision = { kind: 'approve', args: { item: 'sofa', note: 'none' } };
    const { shown } = await bare.previewEdit(hold.id, { item: 'sofa', note: 'none' });
    expect(await decide(bare, hold, BOB, edit, shown)).toMatchObject({ state: 'decided' });

    await desk.work({ runId });

    expect(shop.bought).toEqual([]);
    const again = await onlyHold(desk, runId);
    expect(again.preview).toBe('sofa costs 10 euros');
    await decide(bare, again, BOB);
    await desk.work({ runId });
    expect(shop.bought).toEqual([{ item: 'sofa', note: 'none' }]);
  });

  it('a policy that fails then leaves the run stuck, and nothing executes', async () => {
    await using opened = await open();
    executed.length = 0;
    const agents = { teller: { agent: payer } };
    const desk = openDesk({ store: opened.store, agents, approvers: byAmount });
    const { runId, hold } = await parked(desk, 'teller', 'pay acme');
    await decide(desk, hold, BOB);
    const broken = openDesk({
      store: opened.store,
      agents,
      approvers: () => {
        throw new Error('no policy today');
      },
    });

    expect(await broken.work({ runId })).toMatchObject({
      state: 'stuck',
      error: { code: 'user-error' },
    });
    expect(executed).toEqual([]);
  });
});
