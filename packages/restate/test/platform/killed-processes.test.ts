import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Desk, openDesk, sqliteStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../desk/test/platform/support/scratch-folder.ts';
import { restateEngine } from '../../src/index.ts';
import { Balancer } from '../support/balancer.ts';
import { DeskProcess, type DeskProcessSetup } from '../support/desk-process.ts';
import { FAST_KEEP_ALIVE, RestateServer } from '../support/restate-server.ts';
import { tellerAgent } from '../support/teller.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
let server: RestateServer;
let balancer: Balancer;
let folder: string;
let desk: Desk;
let common: Omit<DeskProcessSetup, 'version' | 'lease'>;

beforeAll(async () => {
  server = await RestateServer.start(FAST_KEEP_ALIVE);
  balancer = await Balancer.start();
  folder = scratchFolder('killed-desks');
  const database = join(folder, 'desk.sqlite');
  const effects = join(folder, 'effects');
  writeFileSync(effects, '');
  const { control } = balancer;
  common = { database, effects, ingress: [server.ingress], control, sweepMs: 300 };
  const store = await sqliteStore({ path: database });
  const agents = { teller: { agent: tellerAgent({ done: [] }) } };
  desk = openDesk({ store, agents });
  desk.useEngine(restateEngine({ ingress: server.ingress, onError: () => {} }));
});

afterAll(async () => {
  await desk.close();
  await balancer[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const start = (setup: Partial<DeskProcessSetup> = {}) =>
  DeskProcess.start({ ...common, lease: MINUTE, version: 'v1', ...setup });

const effectsOf = (to: string): number =>
  readFileSync(common.effects, 'utf8')
    .split('\n')
    .filter((line) => line === to).length;

const reaches = (runId: string, state: string, seconds = 60) =>
  until(async () => ((await desk.run(runId)).state === state ? true : undefined), seconds);

const claimsOf = async (runId: string): Promise<number> =>
  (await desk.audit(runId)).filter(({ kind }) => kind === 'run-claimed').length;

async function approveAll(runId: string): Promise<void> {
  for (const { id, digest } of (await desk.holds({ runId })).items) {
    await desk.decide(id, { kind: 'approve' }, { by: { id: 'ada' }, digest });
  }
}

const register = () => server.register(`http://127.0.0.1:${balancer.port}`, { force: true });

describe('a process that performs tasks for Restate', () => {
  it('is replaced within 2 seconds after kill -9, with a lease of a minute', async () => {
    const dying = await start({ hangs: 'model' });
    await register();
    const runId = await desk.start('teller', 'book takeover');
    await until(() => (effectsOf('model') > 0 ? true : undefined));
    await using _other = await start();

    const since = Date.now();
    await dying.kill();
    await reaches(runId, 'finished');
    const ms = Date.now() - since;

    console.log(`Taken over and finished ${ms} ms after kill -9, lease 60 s.`);
    expect(ms).toBeLessThan(2_000);
    expect(await claimsOf(runId)).toBe(2);
    expect(effectsOf('takeover')).toBe(1);
  });

  it('is replaced when it is frozen, and writes nothing afterwards', async () => {
    await using frozen = await start({ hangs: 'slow-model', lease: 1_500 });
    const runId = await desk.start('teller', 'book frozen');
    await until(() => (effectsOf('slow-model') > 0 ? true : undefined));
    // A process that is frozen inside a transaction blocks all writers of SQLite.
    await sleep(150);
    frozen.freeze();
    await using _other = await start({ lease: 1_500 });

    await reaches(runId, 'finished');
    const audit = await desk.audit(runId);
    // Its model request ends now, and it tries to store the response.
    frozen.resume();
    await sleep(2_500);

    expect(await desk.audit(runId)).toEqual(audit);
    expect(effectsOf('frozen')).toBe(1);
  });

  it.each([
    ['at once', 0],
    ['after the lease', 1_800],
  ])('leaves a call in doubt when it is killed inside, and is back %s', async (when, pauseMs) => {
    const name = when.replaceAll(' ', '');
    const dying = await start({ hangs: 'calls', lease: 1_500 });
    const booked = await desk.start('teller', `book booked${name}`);
    const paid = await desk.start('teller', `pay paid${name}`);
    await reaches(paid, 'parked');
    await approveAll(paid);
    await until(() =>
      effectsOf(`booked${name}`) + effectsOf(`paid${name}`) === 2 ? true : undefined,
    );
    await dying.kill();
    await sleep(pauseMs);
    await using _back = await start({ lease: 1_500 });

    for (const runId of [booked, paid]) {
      await reaches(runId, 'parked');
      const [hold, ...others] = (await desk.holds({ runId })).items;
      expect(others).toEqual([]);
      expect(hold?.inDoubt).toBeDefined();
      const { id = '', digest = '' } = hold ?? {};
      const result = { kind: 'result', value: 'It was executed.' } as const;
      await desk.decide(id, result, { by: { id: 'ada' }, digest });
      await reaches(runId, 'finished');
    }

    expect([effectsOf(`booked${name}`), effectsOf(`paid${name}`)]).toEqual([1, 1]);
  });

  it('resumes parked runs with new code, at the same address and at another one', async () => {
    const first = await start();
    const one = await desk.start('teller', 'pay versionone');
    const two = await desk.start('teller', 'pay versiontwo');
    await reaches(one, 'parked');
    await reaches(two, 'parked');
    await first.kill();

    const second = await start({ version: 'v2' });
    await approveAll(one);
    await reaches(one, 'finished');
    await second.kill();
    const { control: _, ...direct } = common;
    await using third = await DeskProcess.start({ ...direct, lease: MINUTE, version: 'v3' });
    // The deployment at the address of the balancer is gone.
    await server.register(third.url);
    await approveAll(two);
    await reaches(two, 'finished');

    expect([(await desk.run(one)).output, (await desk.run(two)).output]).toEqual([
      'Done by v2.',
      'Done by v3.',
    ]);
    expect([effectsOf('versionone'), effectsOf('versiontwo')]).toEqual([1, 1]);
  });
});
