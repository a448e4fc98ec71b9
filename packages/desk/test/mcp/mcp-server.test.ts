import { randomBytes } from 'node:crypto';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { approvalGateway, mcpServer } from '@holdpoint/desk/mcp';
import { Agent, FunctionToolset } from 'holdpoint';
import { says, scriptedModel } from 'holdpoint/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approval,
  FORMS,
  grace,
  handleOf,
  LINKS,
  responsesTo,
  ServedMcp,
  textOf,
} from './support/served-desk.ts';

describe('a call at the desk', () => {
  let served: ServedMcp;
  beforeAll(async () => {
    served = await ServedMcp.open();
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it.each(['modern', 'legacy'] as const)(
    'lists the tools of agents and gateways (%s)',
    async (era) => {
      const { client } = await served.connect({ era });

      const { tools } = await client.listTools();

      expect(tools.map(({ name }) => name)).toEqual([
        'janitor',
        'delete_file',
        'book',
        'get_result',
      ]);
      expect(tools[1]).toMatchObject({ inputSchema: { required: ['path'] } });
    },
  );

  it.each(['modern', 'legacy'] as const)(
    'returns a handle to a client that cannot ask its user (%s)',
    async (era) => {
      const client = await served.connect({ era });

      const pending = await client.call('delete_file', { path: `${era}.txt` });
      expect(textOf(pending)).toMatch(/approval required\): https:\/\/desk.test\/inbox\/holds\//);
      expect(served.deleted).not.toContain(`${era}.txt`);
      const args = { handle: handleOf(pending) };
      expect(textOf(await client.call('get_result', args))).toContain('Not executed yet');
      await served.approve();

      expect(textOf(await client.call('get_result', args))).toBe(`${era}.txt deleted`);
      expect(textOf(await client.call('get_result', args))).toBe(`${era}.txt deleted`);
      expect(served.deleted.filter((path) => path === `${era}.txt`)).toHaveLength(1);
    },
  );

  it('sends the user to the page of the desk, and waits', async () => {
    const shown: Record<string, unknown>[] = [];
    const client = await served.connect({
      capabilities: LINKS,
      respond(params) {
        shown.push(params);
        setTimeout(() => void served.approve(), 50);
        return { action: 'accept' };
      },
    });

    const result = await client.call('janitor', { prompt: 'linked.txt' });

    expect(textOf(result)).toBe('Result: linked.txt deleted.');
    expect(shown).toHaveLength(1);
    expect(shown[0]?.['url']).toMatch(/^https:\/\/desk.test\/inbox\/holds\//);
  });

  it('returns a handle if the user does not open the page, and keeps the hold open', async () => {
    const client = await served.connect({
      capabilities: LINKS,
      respond: () => ({ action: 'decline' }),
    });

    const result = await client.call('delete_file', { path: 'closed.txt' });

    expect(textOf(result)).toContain('Not executed yet');
    expect(await served.openHold()).toMatchObject({ state: 'open' });
    await served.approve();
  });

  it('returns a handle after bounded rounds without a decision', async () => {
    const client = await served.connect({
      capabilities: LINKS,
      respond: () => ({ action: 'accept' }),
    });

    const result = await client.call('delete_file', { path: 'slow.txt' });

    expect(handleOf(result)).not.toBe('');
    await served.approve();
    expect(textOf(await client.call('get_result', { handle: handleOf(result) }))).toBe(
      'slow.txt deleted',
    );
  });

  it('reports a denial and invalid arguments as errors of the tool', async () => {
    const client = await served.connect();

    const pending = await client.call('delete_file', { path: 'kept.txt' });
    const { id, digest } = await served.openHold();
    await served.desk.decide(id, { kind: 'deny', reason: 'No.' }, { by: grace, digest });
    const denied = await client.call('get_result', { handle: handleOf(pending) });
    const invalid = await client.call('delete_file', { path: 7 });

    expect(denied).toMatchObject({ isError: true });
    expect(textOf(denied)).toContain('No.');
    expect(invalid).toMatchObject({ isError: true });
    expect(served.deleted).not.toContain('kept.txt');
  });

  it('rejects unknown tools, arguments and handles, and handles of other people', async () => {
    const client = await served.connect();
    const other = await served.connect({ person: 'mallory' });
    const pending = await client.call('delete_file', { path: 'private.txt' });
    const handle = handleOf(pending);
    const byDesk = await served.desk.start('janitor', 'Hello.', { requester: { id: 'ada' } });

    await expect(client.call('delete_fil', {})).rejects.toThrow('Did you mean `delete_file`?');
    await expect(client.call('janitor', { prompt: 'x', force: true })).rejects.toThrow('`force`');
    await expect(client.call('get_result', { handle: 'x' })).rejects.toThrow('Unknown handle');
    await expect(client.call('get_result', { handle, approve: true })).rejects.toThrow(
      'exactly one',
    );
    await expect(other.call('get_result', { handle })).rejects.toThrow('Unknown handle');
    await expect(client.call('get_result', { handle: byDesk })).rejects.toThrow('Unknown handle');
    await served.approve();
  });

  it('rejects a request without a caller', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

    expect((await served.fetch({ 'content-type': 'application/json' }, body)).status).toBe(401);
  });
});

describe('a call in a form', () => {
  it('executes once after the caller approves it', async () => {
    await using served = await ServedMcp.open({ forms: true });
    const messages: unknown[] = [];
    const client = await served.connect({
      capabilities: FORMS,
      respond({ message }) {
        messages.push(message);
        return approval;
      },
    });

    const result = await client.call('janitor', { prompt: 'f.txt' });

    expect(textOf(result)).toBe('Result: f.txt deleted.');
    expect(messages).toEqual([expect.stringContaining('Preview: Deletes f.txt for good.')]);
    expect(served.deleted).toEqual(['f.txt']);
    const { items } = await served.desk.holds({ states: ['consumed'] });
    const hold = await served.desk.hold(items[0]?.id ?? '');
    expect(hold.decisions[0]).toMatchObject({ by: { id: 'ada' } });
  });

  it('denies the call only if the user chooses that', async () => {
    await using served = await ServedMcp.open({ forms: true });
    const content = { decision: 'deny', reason: 'Needed.' };
    const client = await served.connect({
      capabilities: FORMS,
      respond: () => ({ action: 'accept', content }),
    });

    expect(textOf(await client.call('delete_file', { path: 'a' }))).toContain('Needed.');
    expect(served.deleted).toEqual([]);
  });

  it('requests changes of the agent if the user chooses that, with a text', async () => {
    for (const reason of ['', 'Which folder?']) {
      await using served = await ServedMcp.open({ forms: true });
      const content = { decision: 'request changes', reason };
      const client = await served.connect({
        capabilities: FORMS,
        respond: () => ({ action: 'accept', content }),
      });

      const result = await client.call('delete_file', { path: 'a' });

      const { items } = await served.desk.holds({ states: ['open', 'consumed'] });
      expect(items[0]?.state).toBe(reason === '' ? 'open' : 'consumed');
      expect(textOf(result).includes('Which folder?')).toBe(reason !== '');
      expect(served.deleted).toEqual([]);
    }
  });

  it('leaves the hold open if the client declines the form, unless `trustDeclines` is set', async () => {
    for (const trustDeclines of [false, true]) {
      await using served = await ServedMcp.open({ forms: true, trustDeclines });
      const client = await served.connect({
        capabilities: FORMS,
        respond: () => ({ action: 'decline' }),
      });

      const result = await client.call('delete_file', { path: 'a' });

      expect((await served.desk.holds()).items).toHaveLength(trustDeclines ? 0 : 1);
      expect(handleOf(result) === '').toBe(trustDeclines);
      expect(served.deleted).toEqual([]);
    }
  });

  it('is not offered if the policy demands another person, or a rule throws', async () => {
    const settings = [
      { forms: true, approvers: { approvers: { delete_file: { notRequester: true } } } },
      { forms: () => Promise.resolve(true) as unknown as boolean },
      {
        forms: () => {
          throw new Error('broken');
        },
      },
    ];
    for (const options of settings) {
      await using served = await ServedMcp.open(options);
      const client = await served.connect({ capabilities: FORMS });

      const result = await client.call('delete_file', { path: 'a' });

      expect(result.inputRequests).toBeUndefined();
      expect(handleOf(result)).not.toBe('');
    }
  });

  it('asks the question of a tool, and rejects an input that does not match', async () => {
    await using served = await ServedMcp.open({ forms: true });
    const client = await served.connect({ capabilities: FORMS });

    const shown = await client.call('janitor', { prompt: 'Book.' });
    const { requestState = '' } = shown;
    const wrong = responsesTo(shown, { action: 'accept', content: { value: 0 } });
    const again = await client.call(
      'janitor',
      { prompt: 'Book.' },
      { requestState, inputResponses: wrong },
    );
    const right = responsesTo(again, { action: 'accept', content: { value: 3 } });
    const more = { requestState: again.requestState ?? '', inputResponses: right };

    expect(textOf(await client.call('janitor', { prompt: 'Book.' }, more))).toBe(
      'Result: 3 guests.',
    );
  });

  it('counts as one of two approvals', async () => {
    const approvers = { approvers: { delete_file: { count: 2 } } };
    await using served = await ServedMcp.open({ forms: true, approvers });
    const client = await served.connect({ capabilities: FORMS, respond: () => approval });

    const result = await client.call('delete_file', { path: 'two' });
    expect(served.deleted).toEqual([]);
    await served.approve();

    expect(textOf(await client.call('get_result', { handle: handleOf(result) }))).toBe(
      'two deleted',
    );
  });
});

describe('options of an MCP server', () => {
  it('are rejected if they are unknown or invalid', async () => {
    const agent = new Agent({ model: scriptedModel(says('x')) });
    const agents = {
      janitor: { agent },
      gate: { agent: approvalGateway({ toolsets: [new FunctionToolset([])] }) },
    };
    await using desk = openDesk({ store: await sqliteStore(), agents });
    const stateKey = randomBytes(32);
    const open = (options: object) => () => mcpServer(desk, options as never);

    expect(open({ stateKey, form: true })).toThrow('Did you mean `forms`?');
    expect(open({ stateKey: randomBytes(16) })).toThrow('at least 32 random bytes');
    expect(open({ stateKey, agents: ['janitr'] })).toThrow('Did you mean `janitor`?');
    expect(open({ stateKey, forms: 'yes' })).toThrow('Pass `true` or `false`');
    expect(() => mcpServer(desk, { stateKey }).http({} as never)).toThrow('needs `authorize`');
    const toolsets = [new FunctionToolset([])];
    for (const withoutApproval of [{}, 'read_file', new Map(), [1], null, Promise.resolve([])]) {
      const options = { toolsets, withoutApproval } as never;
      expect(() => approvalGateway(options)).toThrow('`withoutApproval` of `approvalGateway` is');
    }
    expect(() => approvalGateway({ toolset: [] } as never)).toThrow('Did you mean `toolsets`?');
  });
});
