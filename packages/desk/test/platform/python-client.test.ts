import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import {
  type Decision,
  type HoldRow,
  openDesk,
  type ServedDesk,
  sqliteStore,
} from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { robot } from '../http/support/outside-desk.ts';
import { killAtExit } from './support/leftovers.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const PYTHON = join(import.meta.dirname, '../../../../clients/python');
const PROGRAM = join(PYTHON, 'tests/refund.py');
const CALLBACK_PROGRAM = join(PYTHON, 'tests/callback.py');
const SCHEMA = {
  type: 'object',
  properties: { order: { type: 'string' }, euros: { type: 'number', maximum: 1_000 } },
  required: ['order', 'euros'],
  additionalProperties: false,
};

/** A Python program with its output. */
class Program {
  readonly #process: ChildProcess;
  #output = '';

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#process = spawn('python3', args, {
      env: { ...process.env, ...env, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    killAtExit(this.#process);
    this.#process.stdout?.on('data', (text) => {
      this.#output += String(text);
    });
  }

  /** Returns what the program printed as JSON. */
  async result(): Promise<unknown> {
    await once(this.#process, 'close');
    return JSON.parse(this.#output);
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  /** Resolves when it has killed itself. */
  async killed(): Promise<void> {
    const [, signal] = await once(this.#process, 'exit');
    expect(signal).toBe('SIGKILL');
  }
}

describe('the Python client at a live desk', () => {
  const folder = scratchFolder('python');
  const journal = join(folder, 'journal');
  let desk: ServedDesk;
  let server: Server;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { error, stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
    if (error !== undefined || !/^Python 3\.(9|[1-9]\d)/.test(stdout)) {
      throw new Error(
        'The tests of the Python client need `python3` 3.9 or later on the path. Install it, for example with `apt install python3`.',
      );
    }
    writeFileSync(journal, '');
    server = createServer((request, response) => listener(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A server that listens at a port has an address of this form.
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    desk = openDesk({
      store: await sqliteStore(),
      url,
      agents: { robot: { agent: robot } },
      approvers: { people: ['service:printer'] },
      requests: { tools: { refund: { approvers: {}, schema: SCHEMA } } },
      expiresAfter: ({ args }) => (Object(args).order === 'expire' ? 200 : undefined),
      authorize: () => undefined,
    });
    void desk.startWorker({ pollMs: 100 });
    const listener = getRequestListener(desk.fetch);
    const scopes = ['request'] as const;
    const { key } = await desk.keys.create({ account: 'shop', scopes, by: { id: 'root' } });
    environment = { HOLDPOINT_URL: url, HOLDPOINT_KEY: key, JOURNAL: journal };
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await desk?.close();
    rmSync(folder, { recursive: true });
  });

  function refund(order: string, euros: number, env: Record<string, string> = {}): Program {
    return new Program([PROGRAM, order, String(euros)], { ...environment, ...env });
  }

  async function holdOf(order: string, isWanted = (_hold: HoldRow) => true): Promise<HoldRow> {
    for (;;) {
      const { items } = await desk.holds();
      const found = items.find((hold) => Object(hold.args).order === order && isWanted(hold));
      if (found !== undefined) return found;
      await sleep(50);
    }
  }

  async function decide(hold: HoldRow, decision: Decision): Promise<void> {
    const { id, digest } = hold;
    await desk.decide(id, decision, { by: { id: 'grace' }, digest });
  }

  function paid(order: string): readonly number[] {
    const lines = readFileSync(journal, 'utf8').split('\n').filter(Boolean);
    const all = lines.map((line): [string, number] => JSON.parse(line));
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
    await desk.cancel(runId, { by: { id: 'root' } });
    expect(await cancelled.result()).toMatchObject({ error: 'RequestCancelled' });
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
    const address = join(folder, 'address');
    const owner = new Program([CALLBACK_PROGRAM, 'callback'], { ...environment, ADDRESS: address });
    await decide(await holdOf('callback'), { kind: 'approve' });
    while (!existsSync(address)) await sleep(50);
    const url = readFileSync(address, 'utf8');

    expect(await post(url, { value: { paid: 20 } })).toBe(200);

    expect(await owner.result()).toEqual({ kind: 'value', value: { paid: 20 } });
    expect(await post(url, { value: { paid: 30 } })).toBe(410);
  });

  it.concurrent('lets another program supply the result of an external call', async () => {
    const runId = await desk.start('robot', 'Print it.');
    const parked = async () => (await desk.holds({ runId })).items[0];
    while ((await parked()) === undefined) await sleep(50);
    const holdId = (await parked())!.id;
    const scopes = ['decide', 'read'] as const;
    const { key } = await desk.keys.create({ account: 'printer', scopes, by: { id: 'root' } });
    const program = (HOLDPOINT_KEY: string) =>
      new Program([CALLBACK_PROGRAM, '--hold', holdId], { ...environment, HOLDPOINT_KEY });

    const url = String(await program(key).result());

    expect(await post(url, { value: 'printed' })).toBe(200);
    expect((await desk.hold(holdId)).decisions).toMatchObject([{ by: { id: 'service:printer' } }]);
  });

  it.each([
    [PROGRAM, 'guard'],
    [CALLBACK_PROGRAM, 'callback'],
  ])('is documented with the code of %s', (program, name) => {
    const pattern = new RegExp(`# region ${name}\\n([^]*?)\\n*# endregion`);
    const [, region = ''] = pattern.exec(readFileSync(program, 'utf8')) ?? [];
    const block = `\`\`\`python\n${region}\n\`\`\``;
    expect(readFileSync(join(PYTHON, 'README.md'), 'utf8')).toContain(block);
  });
});
