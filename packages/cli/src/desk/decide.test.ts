import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import type { Decision } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { Agent, askUser, DeferredToolRequests, ExternalToolset, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { decide } from './decide.ts';
import { showOneHold } from './holds.ts';
import { respondWith } from './respond.ts';

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  requiresApproval: true,
  execute: () => 'Paid.',
});

/** Creates a desk with one pending call, and clients for its approvers. */
async function parked(
  toolName: 'pay' | 'ask_owner' | 'ask_user',
  args: Readonly<Record<string, unknown>>,
  respond: (again: ReturnType<typeof calls>) => ReturnType<typeof responds> = () => says('Done.'),
) {
  const call = calls(toolName, args as never);
  const agent = new Agent({
    model: functionModel(({ messages }) => (messages.length === 1 ? call : respond(call))),
    tools: [pay, askUser()],
    toolsets: [new ExternalToolset([{ name: 'ask_owner' }])],
    output: [String, DeferredToolRequests],
  });
  const desk = openDesk({
    store: await sqliteStore(),
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
  /** @param change - Changes a request, or returns a response instead of the desk. */
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

  const typed = (holdId: string, decision: Decision) =>
    ({ holdId, decision, confirmAt: undefined, isJson: false }) as const;
  const RESULT = { kind: 'result', value: { stock: 3, where: 'Delft' } } as const;

  it('approves the result of an external call that another approver proposed', async () => {
    const { desk, id, as } = await parked('ask_owner', { whom: 'grace' });
    await expect(decide(as('ada'), typed(id, { kind: 'approve' }))).rejects.toThrow(
      'Use `holdpoint result`',
    );
    expect(await decide(as('ada/Ada'), typed(id, RESULT))).toBe(0);
    expect((await desk.hold(id)).state).toBe('open');

    expect(await decide(as('grace'), typed(id, { kind: 'approve' }))).toBe(0);

    expect(printed).toContain('Ada (ada) proposed a result');
    expect(await desk.hold(id)).toMatchObject({ state: 'decided' });
  });

  it('names the program that executes an approved call of a request', async () => {
    const desk = openDesk({
      store: await sqliteStore(),
      agents: {},
      requests: { tools: { refund: { approvers: {}, schema: { type: 'object' } } } },
      authorize: () => ({ tenant: 'default', person: { id: 'grace' } }),
    });
    const { holdId } = await desk.request('refund', { euros: 20 }, { by: { id: 'shop' } });
    const grace = deskClient({ url: 'http://desk.test', fetch: desk.fetch });

    await decide(grace, typed(holdId, { kind: 'approve' }));

    expect(printed).toContain('Approved by grace. The program that requested the call can execute');
  });

  it('counts an equal result of a second approver as an approval', async () => {
    const { desk, id, as } = await parked('ask_owner', { whom: 'grace' });
    await decide(as('ada'), typed(id, RESULT));

    const same = { kind: 'result', value: { where: 'Delft', stock: 3 } } as const;
    await decide(as('grace'), typed(id, same));

    expect(await desk.hold(id)).toMatchObject({ state: 'decided' });
  });

  it('replaces a proposed result by another one', async () => {
    const { desk, id, as } = await parked('ask_owner', { whom: 'grace' });
    await decide(as('ada'), typed(id, RESULT));
    await decide(as('grace'), typed(id, { kind: 'result', value: 4 }));

    const hold = await desk.hold(id);
    expect(hold).toMatchObject({ state: 'open', proposal: { by: { id: 'grace' } } });
    expect(hold.votes).toHaveLength(1);
  });

  it('requests changes, and shows the response of the model', async () => {
    const { desk, id, as } = await parked('pay', { to: 'acme', euros: 5 });
    await showOneHold(as('ada'), id, false);
    expect(printed.replaceAll(/\s+/g, ' ')).toContain(
      `holdpoint request-changes ${id.slice(0, 8)}`,
    );
    const changes = { kind: 'retry', message: 'Which invoice?\u001b[2J' } as const;

    expect(await decide(as('ada/Ada'), typed(id, changes))).toBe(0);

    expect(printed).toContain('Changes were requested by Ada (ada).');
    expect(await desk.hold(id)).toMatchObject({ state: 'decided' });
    await desk.drain();
    printed = '';
    await showOneHold(as('ada'), id, false);
    expect(printed).toMatch(/decision +retry, by Ada \(ada\), \S+: Which invoice\?/);
    expect(printed).toMatch(/changes +response: Done\./);
    expect(printed).not.toContain('\u001b[2J');
  });

  it('shows requested changes and the response of the model before the next call is approved', async () => {
    const { desk, id, as } = await parked('pay', { to: 'acme', euros: 5 }, (again) =>
      responds(says('Invoice 7.\u001b[2J'), again),
    );
    const { runId } = await desk.hold(id);
    await decide(as('ada/Ada'), typed(id, { kind: 'retry', message: 'Which invoice?' }));
    await desk.drain();
    const [next = assert.fail('There is no hold.')] = (await desk.holds({ runId })).items;
    printed = '';

    expect(await decide(as('ada/Ada'), typed(next.id, { kind: 'approve' }))).toBe(0);

    expect(printed).toMatch(/changes +requested by Ada \(ada\), \S+: Which invoice\?/);
    expect(printed).toMatch(/changes +response: Invoice 7\./);
    expect(printed).not.toContain('\u001b[2J');
    printed = '';
    await showOneHold(as('ada'), id, false);
    expect(printed).toMatch(new RegExp(`changes +new hold: ${next.id.slice(0, 8)}`));
  });

  it('does not request changes of a question', async () => {
    const { desk, id, as } = await parked('ask_user', { question: 'Which color?' });

    const changes = { kind: 'retry', message: 'Another one.' } as const;
    await expect(decide(as('ada'), typed(id, changes))).rejects.toThrow('Use `holdpoint respond`');
    const { digest } = await desk.hold(id);
    await expect(desk.decide(id, changes, { by: { id: 'ada' }, digest })).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });
  });

  it('responds to a question, after the desk rejected an invalid response', async () => {
    const args = { question: 'Which color?', options: ['blue', 'red'] };
    const { desk, id, as } = await parked('ask_user', args);
    const response = (text: string) => ({ holdId: id, text, confirmAt: undefined, isJson: false });
    await showOneHold(as('ada'), id, false);
    expect(printed).toContain('Which color?');
    expect(printed).toContain(`holdpoint respond ${id.slice(0, 8)}`);
    await expect(decide(as('ada'), typed(id, { kind: 'approve' }))).rejects.toThrow(
      'Use `holdpoint respond`',
    );
    await expect(respondWith(as('ada'), response('green'))).rejects.toMatchObject({
      code: 'input-does-not-fit',
    });

    expect(await respondWith(as('ada'), response('blue'))).toBe(0);

    expect(printed).toContain('The response was recorded by ada.');
    const { decisions, state } = await desk.hold(id);
    expect([state, decisions]).toMatchObject([
      'decided',
      [{ decision: { kind: 'input', value: 'blue' } }],
    ]);
  });

  it('rejects a response for a call without a question', async () => {
    const { id, as } = await parked('pay', { to: 'acme', euros: 1 });

    await expect(decide(as('ada'), typed(id, { kind: 'input', value: 1 }))).rejects.toThrow(
      '`pay` has no question. Use `holdpoint approve`',
    );
  });

  it('shows the id of the requester beside the name', async () => {
    const { id, as } = await parked('pay', { to: 'acme', euros: 1 });
    await showOneHold(as('ada'), id, false);

    expect(printed).toContain('The CEO (u-4711)');
  });

  it('shows the validated edit before it is sent, and confirms what was shown', async () => {
    const { id, as } = await parked('pay', { to: 'acme', euros: 20 });
    const sent: unknown[] = [];
    const printedBefore: string[] = [];
    const client = as('ada', async (request) => {
      if (request.url.endsWith('/edit-preview')) {
        return Response.json({
          problems: [],
          args: { to: 'acme', euros: 45, currency: 'EUR' },
          preview: 'Pay €45 to acme.',
          requirement: { count: 2, roles: ['lead'] },
          shown: 'shown-1',
        });
      }
      if (!request.url.endsWith('/decision')) return request;
      const { shown, ...body } = await request.json();
      sent.push({ shown, ...body });
      printedBefore.push(printed);
      return new Request(request.url, {
        method: 'POST',
        headers: request.headers,
        body: JSON.stringify(body),
      });
    });

    await decide(client, typed(id, { kind: 'approve', args: { to: 'acme', euros: 45 } }));

    expect(sent).toMatchObject([{ shown: 'shown-1', decision: { kind: 'approve' } }]);
    expect(printedBefore[0]).toMatch(/currency +EUR[^]*Pay €45 to acme\./);
    expect(printedBefore[0]).toContain('Approvals required: 2 in the role lead');
  });

  it('rejects edited arguments that do not match the schema before the prompt', async () => {
    const { desk, id, as } = await parked('pay', { to: 'acme', euros: 20 });
    const edit = { kind: 'approve', args: { to: 'acme', euros: 'all' } } as const;

    await expect(decide(as('ada'), typed(id, edit))).rejects.toThrow(
      /do not match the schema of the tool: \/euros: .* Nothing was decided\./,
    );
    expect((await desk.hold(id)).decisions).toEqual([]);
    expect(printed).toBe('');
  });
});
