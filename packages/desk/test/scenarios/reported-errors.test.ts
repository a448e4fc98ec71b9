import { type ErrorContext, sqliteStore, openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, ModelError, UserError } from 'holdpoint';
import { functionModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { type OpenedStore, STORES } from '../support/opened-store.ts';

const SECRET = 'postgres://admin:hunter2@db/prod';

interface Reported {
  readonly error: unknown;
  readonly context: ErrorContext;
}

function deskThatFails({ store, clock }: OpenedStore, error: () => unknown, maxAttempts = 3) {
  const reported: Reported[] = [];
  const model = functionModel(() => {
    throw error();
  });
  const agent = new Agent({ model, output: [String, DeferredToolRequests] });
  const desk = openDesk({
    store,
    maxAttempts,
    agents: { one: { agent } },
    onError: (one, context) => reported.push({ error: one, context }),
  });
  const work = async () => {
    const runId = await desk.start('one', 'Go');
    for (let attempt = 0; attempt < 5; attempt++) {
      await desk.work({ runId });
      clock.advance(1_000_000);
    }
    return desk.run(runId);
  };
  return { desk, reported, work };
}

describe.each(STORES)('desk B13: onError %s', (_, open) => {
  it('receives each failed attempt with the run, and the one that leaves it stuck', async () => {
    await using opened = await open();
    const failure = new Error(SECRET);
    const { reported, work } = deskThatFails(opened, () => failure);

    const { id: runId } = await work();

    const about = (outcome: ErrorContext['outcome']) => ({
      error: failure,
      context: { tenant: 'default', runId, outcome },
    });
    expect(reported).toEqual([about('retried'), about('retried'), about('stuck')]);
  });

  it.each([
    ['is missing', () => Object.assign(new Error('No key.'), { name: 'AI_LoadAPIKeyError' })],
    ['is rejected', () => new ModelError('No.', { modelName: 'gpt', status: 401 })],
  ])('receives one error for a run whose API key %s, which is not retried', async (_why, error) => {
    await using opened = await open();
    const { reported, work } = deskThatFails(opened, error);

    const run = await work();

    expect(run.state).toBe('stuck');
    expect(reported).toMatchObject([{ context: { runId: run.id, outcome: 'stuck' } }]);
  });

  it('receives a run that workers took too often without an end', async () => {
    await using opened = await open();
    const { desk, reported } = deskThatFails(opened, () => new Error(), 1);
    const runId = await desk.start('one', 'Go');
    await opened.store.write((tx) => tx.tasks.claim(['run'], 1));
    opened.clock.advance(1_000);

    expect(await desk.work({ runId })).toMatchObject({ state: 'stuck' });

    expect(reported).toMatchObject([{ context: { runId, outcome: 'stuck' } }]);
  });
});

describe.each(STORES)('desk B24: the error of a run %s', (_, open) => {
  it.each<[string, () => unknown, string]>([
    ['a driver', () => new Error(SECRET), 'internal'],
    ['a text', () => SECRET, 'internal'],
    [
      'the provider',
      () => new ModelError(SECRET, { modelName: 'gpt', status: 500 }),
      'model-error',
    ],
    [
      'a function of the application',
      () => new UserError(`'approvers' has thrown: ${SECRET}`, { cause: new Error(SECRET) }),
      'user-error',
    ],
  ])('shows a code and nothing of what %s said', async (_who, error, code) => {
    await using opened = await open();
    const { reported, work } = deskThatFails(opened, error, 1);

    const run = await work();

    expect(run.error).toMatchObject({ code, message: expect.any(String) });
    expect(JSON.stringify(run)).not.toContain('hunter2');
    expect(String(reported[0]?.error)).toContain('hunter2');
  });
});

describe('the error of a run', () => {
  it('shows the message of an error of Holdpoint that wraps no other', async () => {
    await using opened = {
      store: await sqliteStore(),
      clock: { advance() {} },
      async [Symbol.asyncDispose]() {},
    } as unknown as OpenedStore;
    const { work } = deskThatFails(opened, () => new UserError('Pass `ledger`.'));

    expect((await work()).error).toEqual({
      code: 'user-error',
      message: 'UserError: Pass `ledger`.',
    });
  });
});
