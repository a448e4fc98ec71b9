import { openDesk, memoryStore } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { Agent, DeferredToolRequests, ExternalToolset, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { decide } from './decide.ts';
import { showOneHold } from './list-holds.ts';
import type { Answer } from './say-answer.ts';

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  requiresApproval: true,
  execute: () => 'Paid.',
});

/** A desk with one parked call; approvers reach it as themselves. */
async function parked(toolName: 'pay' | 'ask_owner', args: Readonly<Record<string, unknown>>) {
  const agent = new Agent({
    model: functionModel(({ messages }) =>
      messages.length === 1 ? calls(toolName, args as never) : says('Done.'),
    ),
    tools: [pay],
    toolsets: [new ExternalToolset([{ name: 'ask_owner' }])],
    output: [String, DeferredToolRequests],
  });
  const desk = openDesk({
    store: memoryStore(),
    agents: { one: { agent } },
    approvers: { ask_owner: { count: 2 } },
    authorize: ({ headers }) => {
      const [id = '', name] = (headers.get('authorization') ?? '')
        .replace('Bearer ', '')
        .split('/');
      return { tenant: 'default', person: { id, ...(name && { name }) } };
    },
  });
  const requester = { id: 'u-4711', name: 'The CEO' };
  const runId = await desk.start('one', 'Go.', { requester });
  await desk.work({ runId });
  const [hold] = (await desk.holds({ runId })).items;
  const id = hold?.id ?? '';
  /** @param change - Sees requests and may answer them in place of the desk. */
  const as = (who: string, change?: (request: Request) => Promise<Response | Request>) =>
    deskClient({
      url: 'http://desk.test',
      headers: { authorization: `Bearer ${who}` },
      fetch: async (request) => {
        const changed = (await change?.(request.clone())) ?? request;
        return changed instanceof Response ? changed : desk.fetch(changed);
      },
    });
  return { desk, id, as };
}

describe('a decision from the command line', () => {
  let printed = '';
  beforeEach(() => {
    printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  const say = (holdId: string, answer: Answer) =>
    ({ holdId, answer, confirmAt: undefined, isJson: false }) as const;
  const RESULT = { kind: 'result', value: { stock: 3, where: 'Delft' } } as const;

  it('desk B11: approves the result of an external call that another approver proposed', async () => {
    const { desk, id, as } = await parked('ask_owner', { whom: 'grace' });
    await expect(decide(as('ada'), say(id, { kind: 'approve' }))).rejects.toThrow(
      'Use `holdpoint answer`.',
    );
    expect(await decide(as('ada/Ada'), say(id, RESULT))).toBe(0);
    expect((await desk.hold(id)).hold.state).toBe('open');

    expect(await decide(as('grace'), say(id, { kind: 'approve' }))).toBe(0);

    expect(printed).toContain('Ada (ada) proposed a result');
    expect((await desk.hold(id)).hold).toMatchObject({ state: 'decided' });
  });

  it('desk B11: takes an equal result of a second approver as agreement', async () => {
    const { desk, id, as } = await parked('ask_owner', { whom: 'grace' });
    await decide(as('ada'), say(id, RESULT));

    const same = { kind: 'result', value: { where: 'Delft', stock: 3 } } as const;
    await decide(as('grace'), say(id, same));

    expect((await desk.hold(id)).hold).toMatchObject({ state: 'decided' });
  });

  it('desk B11: takes another result as another proposal', async () => {
    const { desk, id, as } = await parked('ask_owner', { whom: 'grace' });
    await decide(as('ada'), say(id, RESULT));
    await decide(as('grace'), say(id, { kind: 'result', value: 4 }));

    const { hold } = await desk.hold(id);
    expect(hold).toMatchObject({ state: 'open', proposal: { by: { id: 'grace' } } });
    expect(hold.votes).toHaveLength(1);
  });

  it('security L6d: shows the id of the requester beside the name', async () => {
    const { id, as } = await parked('pay', { to: 'acme', euros: 1 });
    await showOneHold(as('ada'), id, false);

    expect(printed).toContain('The CEO (u-4711)');
  });

  it('desk B1: shows an edit as the desk validated it before it is sent, and says what was shown', async () => {
    const { id, as } = await parked('pay', { to: 'acme', euros: 20 });
    const sent: unknown[] = [];
    const printedBefore: string[] = [];
    const client = as('ada', async (request) => {
      if (request.url.endsWith('/check')) {
        return Response.json({
          problems: [],
          args: { to: 'acme', euros: 45, currency: 'EUR' },
          preview: '45 euros go to acme.',
          requirement: { count: 2, roles: ['lead'] },
          shown: 'shown-1',
        });
      }
      if (!request.url.endsWith('/answer')) return request;
      const { shown, ...body } = await request.json();
      sent.push({ shown, ...body });
      printedBefore.push(printed);
      return new Request(request.url, {
        method: 'POST',
        headers: request.headers,
        body: JSON.stringify(body),
      });
    });

    await decide(client, say(id, { kind: 'edit', args: { to: 'acme', euros: 45 } }));

    expect(sent).toMatchObject([{ shown: 'shown-1', answer: { kind: 'edit' } }]);
    expect(printedBefore[0]).toMatch(/currency +EUR[^]*45 euros go to acme\./);
    expect(printedBefore[0]).toContain('Approvals required: 2 in the role lead');
  });

  it('desk B1: rejects edited arguments that do not match the schema before it asks', async () => {
    const { desk, id, as } = await parked('pay', { to: 'acme', euros: 20 });
    const edit = { kind: 'edit', args: { to: 'acme', euros: 'all' } } as const;

    await expect(decide(as('ada'), say(id, edit))).rejects.toThrow(
      /do not match the schema of the tool: \/euros: .* Nothing was decided\./,
    );
    expect((await desk.hold(id)).answers).toEqual([]);
    expect(printed).toBe('');
  });

  it('desk B1: sends an edit to a desk that describes nothing', async () => {
    const { desk, id, as } = await parked('pay', { to: 'acme', euros: 20 });
    const client = as('ada', async (request) =>
      request.url.endsWith('/check') ? Response.json({ problems: [] }) : request,
    );
    await decide(client, say(id, { kind: 'edit', args: { to: 'acme', euros: 5 } }));

    expect((await desk.hold(id)).hold.state).toBe('decided');
  });
});
