import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Decision, HoldRow } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PythonDesk, urlOf } from './support/python-desk.ts';
import { pythonBlock, type PythonProgram, requirePython } from './support/python-program.ts';

/** Sends a request of a program to another address. Returns the status and the body of the response. */
async function forwarded(request: IncomingMessage, url: string): Promise<[number, Uint8Array]> {
  const { method = 'GET', headers, url: path = '/' } = request;
  const { authorization = '', 'idempotency-key': key } = headers;
  const sent = await text(request);
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': String(key) }),
    },
    ...(method === 'POST' && { body: sent }),
  });
  return [response.status, await response.bytes()];
}

const PYTHON = join(import.meta.dirname, '../../../../clients/python');
const SCHEMA = {
  type: 'object',
  properties: { order: { type: 'string' }, euros: { type: 'number', maximum: 1_000 } },
  required: ['order', 'euros'],
  additionalProperties: false,
};

describe('the Python client at a live desk', () => {
  requirePython();
  let site: PythonDesk;

  beforeAll(async () => {
    site = await PythonDesk.open({
      tools: { refund: { approvers: {}, schema: SCHEMA } },
      approvers: { people: ['service:printer'] },
      expiresAfter: ({ args }) => (Object(args).order === 'expire' ? 200 : undefined),
    });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  function refund(order: string, euros: number, env: Record<string, string> = {}): PythonProgram {
    return site.start('refund.py', [order, String(euros)], env);
  }

  function holdOf(order: string, isWanted = (_hold: HoldRow) => true): Promise<HoldRow> {
    return site.hold((hold) => Object(hold.args).order === order && isWanted(hold));
  }

  function decide(hold: HoldRow, decision: Decision): Promise<void> {
    return site.decide(hold, decision);
  }

  function paid(order: string): readonly number[] {
    const all = site.journal<readonly [string, number]>();
    return all.filter(([one]) => one === order).map(([, euros]) => euros);
  }

  async function post(url: string, body: object): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(url, init)).status;
  }

  it.concurrent('executes an approved call, and not again with the same key', async () => {
    const first = refund('approve', 20);
    await decide(await holdOf('approve'), { kind: 'approve' });
    expect(await first.result()).toEqual({ paid: 20 });
    expect(await refund('approve', 20).result()).toEqual({ paid: 20 });
    expect(paid('approve')).toEqual([20]);
    const other = await refund('approve', 21).result();
    expect(other).toMatchObject({ code: 'idempotency-key-reused' });
  });

  it.concurrent('raises a denial', async () => {
    const denied = refund('deny', 20);
    await decide(await holdOf('deny'), { kind: 'deny', reason: 'The photo is old.' });
    expect(await denied.result()).toEqual({ denied: 'The photo is old.' });
    expect(paid('deny')).toEqual([]);
  });

  it.concurrent('raises requested changes', async () => {
    const requested = refund('ask', 20);
    await decide(await holdOf('ask'), { kind: 'retry', message: 'Add the invoice.' });
    expect(await requested.result()).toEqual({ changes: 'Add the invoice.' });
    expect(await refund('ask', 20).result()).toEqual({ changes: 'Add the invoice.' });
    expect(paid('ask')).toEqual([]);
  });

  it.concurrent('raises an expiry', async () => {
    expect(await refund('expire', 20).result()).toMatchObject({ error: 'CallExpired' });
    expect(paid('expire')).toEqual([]);
  });

  it.concurrent('executes with edited arguments', async () => {
    const edited = refund('edit', 20);
    const args = { order: 'edit', euros: 5 };
    await decide(await holdOf('edit'), { kind: 'approve', args });
    expect(await edited.result()).toEqual({ paid: 5 });
    expect(paid('edit')).toEqual([5]);
  });

  it.concurrent('raises an error if the call is cancelled or does not fit', async () => {
    expect(await refund('large', 1_001).result()).toMatchObject({ code: 'arguments-do-not-fit' });
    const cancelled = refund('cancel', 20);
    const { runId } = await holdOf('cancel');
    await site.desk.cancel(runId, { by: { id: 'root' } });
    expect(await cancelled.result()).toMatchObject({ error: 'RequestCancelled' });
  });

  it.concurrent('guards no function that could receive other arguments than the approved ones', async () => {
    const errors = await site.start('parameters.py', []).result();

    expect(errors).toEqual([
      expect.stringMatching(/^Parameter `\*\*options` of `with_options` /),
      expect.stringMatching(/^Parameter `\*orders` of `with_rest` /),
      expect.stringMatching(/^Parameter `order` of `by_position` /),
    ]);
  });

  it.concurrent('continues after it was killed between request and decision', async () => {
    const first = refund('killed-early', 20);
    const hold = await holdOf('killed-early');
    await first.kill();
    await decide(hold, { kind: 'approve' });
    expect(await refund('killed-early', 20).result()).toEqual({ paid: 20 });
    expect(paid('killed-early')).toEqual([20]);
  });

  it.concurrent('does not repeat a call during which it was killed', async () => {
    const first = refund('killed-late', 20, { CRASH: 'during-call' });
    await decide(await holdOf('killed-late'), { kind: 'approve' });
    await first.killed();
    const second = refund('killed-late', 20);
    const doubted = await holdOf('killed-late', ({ inDoubt }) => inDoubt !== undefined);
    expect(paid('killed-late')).toEqual([20]);
    await decide(doubted, { kind: 'result', value: { paid: 20 } });
    expect(await second.result()).toEqual({ paid: 20 });
    expect(paid('killed-late')).toEqual([20]);
  });

  it.concurrent('lets another program settle a claimed call, once', async () => {
    const address = join(site.folder, 'address');
    const owner = site.start('callback.py', ['callback'], { ADDRESS: address });
    await decide(await holdOf('callback'), { kind: 'approve' });
    while (!existsSync(address)) await sleep(50);
    const url = readFileSync(address, 'utf8');

    expect(await post(url, { value: { paid: 20 } })).toBe(200);

    expect(await owner.result()).toEqual({ kind: 'value', value: { paid: 20 } });
    expect(await post(url, { value: { paid: 30 } })).toBe(410);
  });

  it.concurrent('lets another program supply the result of an external call', async () => {
    const runId = await site.desk.start('robot', 'Print it.');
    const { id: holdId } = await site.hold((hold) => hold.runId === runId);
    const scopes = ['decide', 'read'] as const;
    const { key } = await site.desk.keys.create({ account: 'printer', scopes, by: { id: 'root' } });
    const program = site.start('callback.py', ['--hold', holdId], { HOLDPOINT_KEY: key });

    const url = String(await program.result());

    expect(await post(url, { value: 'printed' })).toBe(200);
    expect((await site.desk.hold(holdId)).decisions).toMatchObject([
      { by: { id: 'service:printer' } },
    ]);
  });

  it.concurrent('asks a person if the result of an executed call is not JSON', async () => {
    const first = refund('odd', 20, { RESULT: 'set' });
    await decide(await holdOf('odd'), { kind: 'approve' });
    expect(await first.result()).toMatchObject({ error: 'TypeError' });
    const doubted = await holdOf('odd', ({ inDoubt }) => inDoubt !== undefined);
    expect(doubted.inDoubt?.reason).toMatch(/result that is not JSON: .*set is not JSON/);
    const second = refund('odd', 20);
    await decide(doubted, { kind: 'result', value: { paid: 20 } });
    expect(await second.result()).toEqual({ paid: 20 });
    expect(paid('odd')).toEqual([20]);
  });

  it.concurrent('sends its key to no other address, although the desk redirects', async () => {
    const keys: unknown[] = [];
    const other = createServer((request, response) => {
      keys.push(request.headers.authorization);
      response.end('{}');
    });
    const redirecting = createServer((_, response) => {
      response.writeHead(302, { location: urlOf(other) }).end();
    });
    for (const server of [other, redirecting]) {
      await once(server.listen(0, '127.0.0.1'), 'listening');
    }
    const program = refund('redirect', 20, { HOLDPOINT_URL: urlOf(redirecting) });

    expect(await program.result()).toMatchObject({ error: 'DeskError' });

    expect(keys).toEqual([]);
    for (const server of [other, redirecting]) server.close();
  });

  it.concurrent('sends a request again if the connection ends within its response', async () => {
    const interrupted = new Set<string>();
    const proxy = createServer((request, response) => {
      void forwarded(request, site.url).then(([status, body]) => {
        const [path = ''] = (request.url ?? '').split('?');
        const operation = `${status} ${request.method} ${path.split('/').at(4) ?? ''}`;
        response.writeHead(status, { 'content-length': body.byteLength });
        if (interrupted.has(operation)) return response.end(body);
        interrupted.add(operation);
        return response.write(body.subarray(0, 10), () => response.destroy());
      });
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const program = refund('interrupted', 20, { HOLDPOINT_URL: urlOf(proxy) });
    await decide(await holdOf('interrupted'), { kind: 'approve' });

    expect(await program.result()).toEqual({ paid: 20 });

    expect(paid('interrupted')).toEqual([20]);
    const large = refund('interrupted-large', 1_001, { HOLDPOINT_URL: urlOf(proxy) });
    expect(await large.result()).toMatchObject({ code: 'arguments-do-not-fit' });
    const operations = ['201 POST ', '200 GET ', '200 POST claim', '200 POST settle', '422 POST '];
    expect([...interrupted]).toEqual(expect.arrayContaining(operations));
    proxy.close();
  });

  it.each(['refund.py#guard', 'callback.py#callback'])(
    'is documented with the code of %s',
    (source) => {
      const [program = '', region = ''] = source.split('#');
      const block = pythonBlock(join(PYTHON, 'tests', program), region);
      expect(readFileSync(join(PYTHON, 'README.md'), 'utf8')).toContain(block);
    },
  );
});
