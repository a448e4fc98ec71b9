import { openDesk } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { FaultInjector } from './support/crash/fault-injector.ts';
import { readEffects } from './support/crash/journal.ts';
import { openStore } from './support/crash/store-spec.ts';
import { tellerAgent } from './support/crash/teller.ts';
import { compare } from './support/compare.ts';
import { ChaosTest } from './support/chaos-test.ts';
import { SHARED_STORES, ProcessFixture } from './support/process-fixture.ts';

/** More runs find more: npm run soak -- --times 50 --seed 7 */
const RUNS = 60 * SOAK_TIMES;
const SEED = Number(process.env['RANDOM_SEED'] ?? 20_260_901);
const DEADLINE_MS = 120_000 + RUNS * 1_000;

let fixture: ProcessFixture;

beforeAll(async () => {
  fixture = await ProcessFixture.open('crashes');
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe.each(SHARED_STORES)('processes that are killed and frozen, on %s', (name) => {
  it(`lose no acknowledged write and repeat no call in ${RUNS} runs`, {
    timeout: DEADLINE_MS * 1.2,
  }, async () => {
    const spec = await fixture.newStore(name);
    const effects = fixture.newEffects(name);
    await using store = await openStore(spec);
    const agent = tellerAgent(effects, new FaultInjector(undefined));
    const desk = openDesk({ store, agents: { teller: { agent } } });
    const disturb = spec.kind === 'postgres' ? () => fixture.server.cutSome() : undefined;
    const { programs } = fixture;
    const common = { programs, store: spec, effects, desk, disturb };
    const chaos = new ChaosTest({ ...common, seed: SEED, runs: RUNS });
    const since = Date.now();

    await chaos.run(DEADLINE_MS);

    const duration = Date.now() - since;
    const { started, decided, rejected, plans } = chaos;
    const observations = { started, decided, effects: readEffects(effects) };
    const { problems, tally } = await compare(desk, observations);
    const occurred = { ...plans.workers.counts, ...plans.clerks.counts };
    console.log(
      `${name}, seed ${SEED}: ${JSON.stringify(tally)}, ${decided.length} decisions acknowledged, ` +
        `${rejected} rejected, ${duration} ms and ${Date.now() - since - duration} ms to compare. Faults of ` +
        `processes: ${JSON.stringify(occurred)}`,
    );
    expect(problems).toEqual([]);
    expect(tally.runs).toBeGreaterThanOrEqual(RUNS);
    expect(tally.holds).toBeGreaterThanOrEqual(RUNS * 4);
    // The test proves little unless decisions compete and calls are in doubt.
    expect(rejected).toBeGreaterThan(0);
    expect(tally.doubts).toBeGreaterThan(0);
    expect(tally.repeated).toBeGreaterThan(0);
    expect(Object.entries(occurred).filter(([, count]) => count === 0)).toEqual([]);
  });
});
