import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Desk, openDesk, sqliteStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restateEngine, serveDesk, type ServeDeskOptions } from '../../src/index.ts';
import { freePort } from '../../../desk/test/platform/support/free-port.ts';
import { RestateServer } from '../support/restate-server.ts';
import { type Effects, tellerAgent } from '../support/teller.ts';
import { until } from '../support/until.ts';

let server: RestateServer;

beforeAll(async () => {
  // A step of this length would be aborted by the settings of the server.
  server = await RestateServer.start({
    RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '200ms',
    RESTATE_WORKER__INVOKER__ABORT_TIMEOUT: '200ms',
  });
});

afterAll(() => server[Symbol.asyncDispose]());

async function openTestDesk(effects: Effects = { done: [] }) {
  const store = await sqliteStore();
  const desk = openDesk({ store, agents: { teller: { agent: tellerAgent(effects) } } });
  return desk;
}

/** Serves a desk under its own service name, and collects the errors of the engine. */
function serve(desk: Desk, service: string, options: Partial<ServeDeskOptions> = {}) {
  const errors: Error[] = [];
  const served = serveDesk(desk, {
    ingress: server.ingress,
    service,
    sweepMs: 200,
    logger: () => {},
    onError: (error) => errors.push(error),
    ...options,
  });
  return { served, errors, firstError: () => until(() => errors[0]) };
}

const finishes = (desk: Desk, runId: string) =>
  until(async () => ((await desk.run(runId)).state === 'finished' ? true : undefined));

describe('bad input for the engine', () => {
  it('reports a server that is away, keeps the run, and executes it when the server is there', async () => {
    await using desk = await openTestDesk();
    const ports = { ingress: await freePort(), admin: await freePort(), node: await freePort() };
    const ingress = `http://127.0.0.1:${ports.ingress}`;
    const { served, firstError } = serve(desk, 'away', { ingress });
    await using _served = served;
    const uri = `http://127.0.0.1:${await served.listen(0)}`;

    const runId = await desk.start('teller', 'book a');
    const error = await firstError();
    expect(error.message).toContain(
      `Restate at ${ingress} could not be reached. Check \`ingress\``,
    );
    expect((await desk.run(runId)).state).toBe('ready');
    await using late = await RestateServer.start({}, ports);
    await late.register(uri);

    await finishes(desk, runId);
  });

  it('reports an address that is not an ingress', async () => {
    const other = createServer((_request, response) => {
      response.statusCode = 404;
      response.end('Not found');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await using desk = await openTestDesk();
    const { served, firstError } = serve(desk, 'wrong', { ingress: `http://127.0.0.1:${port}` });
    await using _served = served;

    const runId = await desk.start('teller', 'Hello');
    const error = await firstError();
    other.close();

    expect(error.message).toContain('rejected a task (404)');
    expect(error.message).toContain('check that `ingress` is the address of its ingress');
    expect((await desk.run(runId)).state).toBe('ready');
  });

  it.each([
    ['no list', { ingress: undefined }, '`ingress` contains `undefined`'],
    ['an empty list', { ingress: [] }, '`ingress` is an empty list'],
    ['a host without a scheme', { ingress: 'localhost:8080' }, 'Pass addresses such as'],
    ['an unknown option', { ingress: 'http://a', ingres: 1 }, 'has no option `ingres`'],
    ['no concurrency', { ingress: 'http://a', concurrency: 0 }, '`concurrency` of `serveDesk`'],
    ['a negative sweep', { ingress: 'http://a', sweepMs: -1 }, '`sweepMs` is `-1`'],
  ])('rejects options with %s', async (_, options, message) => {
    await using desk = await openTestDesk();

    expect(() => serveDesk(desk, options as never)).toThrow(message);
  });

  it('reports a service that is not registered, and executes the run after its registration', async () => {
    await using desk = await openTestDesk();
    const { served, firstError } = serve(desk, 'unregistered');
    await using _served = served;
    const port = await served.listen(0);

    const runId = await desk.start('teller', 'book a');
    const error = await firstError();
    expect(error.message).toContain('Register the deployment that serves `unregistered`');
    expect((await desk.run(runId)).state).toBe('ready');
    await server.register(`http://127.0.0.1:${port}`);

    await finishes(desk, runId);
  });

  it('executes runs of a deployment that was removed after it is registered again', async () => {
    await using desk = await openTestDesk();
    const { served, firstError } = serve(desk, 'removed');
    await using _served = served;
    const uri = `http://127.0.0.1:${await served.listen(0)}`;
    const { id } = await server.register(uri);
    await server.request('DELETE', `/deployments/${id}?force=true`);

    const runId = await desk.start('teller', 'book a');
    expect((await firstError()).message).toContain('(404)');
    expect((await desk.run(runId)).state).toBe('ready');
    await server.register(uri);

    await finishes(desk, runId);
  });

  it('rejects a protocol version that it does not have', async () => {
    await using desk = await openTestDesk();
    const { served } = serve(desk, 'protocol');
    await using _served = served;

    const response = await served.fetch(
      new Request('http://127.0.0.1/invoke/protocol/perform', {
        method: 'POST',
        headers: { 'content-type': 'application/vnd.restate.invocation.v99' },
        body: new Uint8Array(),
      }),
    );
    const discovery = await served.fetch(
      new Request('http://127.0.0.1/discover', {
        headers: { accept: 'application/vnd.restate.endpointmanifest.v99+json' },
      }),
    );

    expect([response.status, discovery.status]).toEqual([415, 415]);
    expect(await discovery.text()).toContain('v99');
  });

  it('rejects requests that are no tasks, once', async () => {
    await using desk = await openTestDesk();
    const { served } = serve(desk, 'requests');
    await using _served = served;
    await server.register(`http://127.0.0.1:${await served.listen(0)}`);

    for (const body of [null, 'x', { tenant: 't', kind: 'job', id: 'i' }, { kind: 'run' }]) {
      await expect(server.call('requests/perform', body)).rejects.toThrow(
        'The request is not a task',
      );
    }
    // A task that does not exist has nothing to do.
    await server.call('requests/perform', { tenant: 't', kind: 'run', id: 'unknown' });
  });

  it('executes a call once that takes longer than the timeouts of the server', async () => {
    const effects: Effects = {
      done: [],
      during: () =>
        new Promise((resolve) => {
          setTimeout(resolve, 1_500);
        }),
    };
    await using desk = await openTestDesk(effects);
    const { served } = serve(desk, 'long');
    await using _served = served;
    await server.register(`http://127.0.0.1:${await served.listen(0)}`);

    const runId = await desk.start('teller', 'book a');
    await finishes(desk, runId);

    expect(effects.done).toEqual(['a']);
  });

  it('stores prompts and results that are larger than a message of Restate', async () => {
    await using desk = await openTestDesk();
    const { served } = serve(desk, 'large');
    await using _served = served;
    await server.register(`http://127.0.0.1:${await served.listen(0)}`);

    const runId = await desk.start('teller', `book a ${'x'.repeat(33 * 2 ** 20)}`);

    await finishes(desk, runId);
  });

  it('reports errors at most every 10 seconds', async () => {
    const errors: Error[] = [];
    const engine = restateEngine({
      ingress: `http://127.0.0.1:${await freePort()}`,
      onError: (error) => errors.push(error),
    });
    const task = { tenant: 't', kind: 'run', id: 'r', due: 0, fence: 0 } as const;

    engine.schedule([task, task, task]);
    await until(() => errors[0]);
    expect(await engine.send(task)).toBeInstanceOf(Error);

    expect(errors).toHaveLength(1);
  });
});
