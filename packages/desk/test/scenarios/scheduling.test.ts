import { openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, UserError } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { openGated } from '../support/gated-desk.ts';
import { STORES } from '../support/opened-store.ts';

const output = [String, DeferredToolRequests] as const;

describe.each(STORES)('fairness between tenants %s', (_, open) => {
  it('executes a run of a small tenant before the backlog of a large one', async () => {
    await using opened = await open();
    const { desk, order, go } = openGated(opened.store);
    go.open();
    for (let index = 0; index < 40; index++) await desk.forTenant('large').start('clerk', 'large');
    opened.clock.advance(1_000);
    for (const tenant of ['small-1', 'small-2', 'a-small-3']) {
      await desk.forTenant(tenant).start('clerk', tenant);
    }

    await desk.drain();

    for (const tenant of ['small-1', 'small-2', 'a-small-3']) {
      expect(order.indexOf(tenant), tenant).toBeLessThan(16);
    }
    expect(order).toHaveLength(43);
  });

  it('gives every tenant its turn while several have a backlog', async () => {
    await using opened = await open();
    const { desk, order, go } = openGated(opened.store);
    go.open();
    const tenants = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const tenant of tenants) {
      for (let index = 0; index < 12; index++) await desk.forTenant(tenant).start('clerk', tenant);
      opened.clock.advance(1_000);
    }

    await desk.drain();

    for (const tenant of tenants) {
      expect(order.indexOf(tenant), `${tenant} in ${order.join('')}`).toBeLessThan(24);
    }
    expect(order).toHaveLength(72);
  });

  it('gives every tenant its turn for each kind of task', async () => {
    await using opened = await open();
    const { desk, order, go } = openGated(opened.store, ['clerk'], {
      notify: ({ tenant }) => void notified.push(tenant),
    });
    const notified: string[] = [];
    go.open();
    await desk.drain();
    const tenants = ['a', 'b', 'c', 'd'];
    for (const tenant of tenants) {
      for (let index = 0; index < 12; index++) await desk.forTenant(tenant).start('clerk', tenant);
      opened.clock.advance(1_000);
    }

    await desk.drain();

    for (const tenant of tenants) {
      expect(order.indexOf(tenant), `${tenant} in ${order.join('')}`).toBeLessThan(20);
      expect(notified.indexOf(tenant), `${tenant} in ${notified.join('')}`).toBeLessThan(20);
    }
  });

  it('delivers events of a small tenant before the backlog of a large one', async () => {
    await using opened = await open();
    const notified: string[] = [];
    const model = functionModel(() => says('Hello.'));
    const agents = { clerk: { agent: new Agent({ model, output }) } };
    const notify = ({ tenant }: { readonly tenant: string }) => void notified.push(tenant);
    const desk = openDesk({ store: opened.store, agents, notify });
    await desk.drain();
    for (let index = 0; index < 40; index++) await desk.forTenant('large').start('clerk', 'Hi');
    opened.clock.advance(1_000);
    await desk.forTenant('small').start('clerk', 'Hi');

    await desk.drain();

    expect(notified.indexOf('small')).toBeLessThan(12);
  });
});

describe.each(STORES)('limits of a worker %s', (_, open) => {
  it('leave places for other tenants', async () => {
    await using opened = await open();
    const { desk, executing, most, go } = openGated(opened.store);
    for (let index = 0; index < 10; index++) await desk.forTenant('large').start('clerk', 'large');
    await desk.forTenant('small').start('clerk', 'small');
    const stop = new AbortController();
    const options = { signal: stop.signal, concurrency: 6, pollMs: 5, maxRunsPerTenant: 2 };
    const working = desk.startWorker(options);

    await expect.poll(() => executing.get('small')).toBe(1);
    await expect.poll(() => executing.get('large')).toBe(2);
    go.open();
    await expect
      .poll(async () => {
        const { items } = await desk.forTenant('large').runs({ states: ['finished'] });
        return items.length;
      })
      .toBe(10);
    stop.abort();
    await working;
    expect(most.get('large')).toBe(2);
  });

  it('hold for each agent, or for the named ones', async () => {
    await using opened = await open();
    const { desk, executing, go, most } = openGated(opened.store, ['slow', 'fast']);
    for (let index = 0; index < 5; index++) {
      await desk.start('slow', 'slow');
      await desk.start('fast', 'fast');
    }
    const stop = new AbortController();
    const options = { signal: stop.signal, concurrency: 6, pollMs: 5 };
    const working = desk.startWorker({ ...options, maxRunsPerAgent: { slow: 1 } });

    await expect.poll(() => executing.get('agent fast')).toBe(5);
    await expect.poll(() => executing.get('agent slow')).toBe(1);
    go.open();
    await expect
      .poll(async () => (await desk.runs({ states: ['finished'] })).items.length)
      .toBe(10);
    stop.abort();
    await working;
    expect(most.get('agent slow')).toBe(1);
  });

  it('are validated', async () => {
    await using opened = await open();
    const { desk } = openGated(opened.store);

    await expect(desk.startWorker({ maxRunsPerTenant: 0 })).rejects.toThrow(UserError);
    await expect(desk.startWorker({ maxRunsPerAgent: { clark: 1 } })).rejects.toThrow(
      'Did you mean `clerk`?',
    );
  });
});

describe.each(STORES)('the identity of a worker %s', (_, open) => {
  it('is stored with the tasks that it claims', async () => {
    await using opened = await open();
    const { desk, executing, go } = openGated(opened.store);
    const runId = await desk.start('clerk', 'one');
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, pollMs: 5, name: 'worker-7' });

    await expect.poll(() => executing.get('one')).toBe(1);
    const task = await opened.store.read((tx) => tx.tasks.get('default', 'run', runId));
    expect(task).toMatchObject({ claimedBy: 'worker-7', claimedAt: opened.clock.now() });
    go.open();
    stop.abort();
    await working;
  });
});
