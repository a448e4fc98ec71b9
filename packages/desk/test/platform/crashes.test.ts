import { setTimeout as sleep } from 'node:timers/promises';
import { type Desk, openDesk } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { FaultInjector } from './support/crash/fault-injector.ts';
import { readEffects } from './support/crash/journal.ts';
import { openStore } from './support/crash/store-spec.ts';
import { tellerAgent } from './support/crash/teller.ts';
import { compare } from './support/compare.ts';
import { ChaosTest } from './support/chaos-test.ts';
import { SHARED_STORES, ProcessFixture } from './support/process-fixture.ts';

/**
 * For more runs: npm run soak -- --times 50 --seed 7. The soak has 500 runs with 2,000 holds by
 * default.
 */
const RUNS = SOAK_TIMES > 1 ? 100 * SOAK_TIMES : 60;
const SEED = Number(process.env['RANDOM_SEED'] ?? 20_260_901);
const DEADLINE_MS = 120_000 + RUNS * 1_000;

/** Deliveries take half of the time, so only the soak has them. */
const HAS_WEBHOOKS = SOAK_TIMES > 1;
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
/** The time for the deliveries of a killed worker, whose leases must end first. */
const DELIVERY_MS = 60_000;

/** Delivers the remaining events, and returns those that the receiver did not receive. */
async function undeliveredEvents(desk: Desk, receiver: Receiver): Promise<readonly string[]> {
  const events: string[] = [];
  let after: string | undefined;
  do {
    const page = await desk.events({ limit: 500, after });
    events.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  const deadline = Date.now() + DELIVERY_MS;
  for (;;) {
    await desk.drain();
    const received = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    const missing = events.filter((id) => !received.has(id));
    if (missing.length === 0 || Date.now() > deadline) return missing;
    await sleep(100);
  }
}

let fixture: ProcessFixture;

beforeAll(async () => {
  fixture = await ProcessFixture.open('crashes');
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe.each(SHARED_STORES)('processes that are killed and frozen, on %s', (name) => {
  it(`lose no acknowledged write and repeat no call in ${RUNS} runs`, {
    timeout: DEADLINE_MS * 1.2 + DELIVERY_MS,
  }, async () => {
    const spec = await fixture.newStore(name);
    const effects = fixture.newEffects(name);
    await using store = await openStore(spec);
    const agent = tellerAgent(effects, new FaultInjector(undefined));
    await using receiver = await openReceiver();
    const webhook = { url: receiver.url, secret: SECRET };
    const webhooks = HAS_WEBHOOKS ? [webhook] : [];
    const desk = openDesk({ store, agents: { teller: { agent } }, webhooks });
    // From now on, events are stored for the receiver.
    await desk.drain();
    const disturb = spec.kind === 'postgres' ? () => fixture.server.cutSome() : undefined;
    const { programs } = fixture;
    const common = { programs, store: spec, effects, webhooks, desk, disturb };
    const chaos = new ChaosTest({ ...common, seed: SEED, runs: RUNS });
    const since = Date.now();

    await chaos.run(DEADLINE_MS);

    const duration = Date.now() - since;
    const { started, decided, rejected, plans } = chaos;
    const observations = { started, decided, effects: readEffects(effects) };
    const undelivered = HAS_WEBHOOKS ? await undeliveredEvents(desk, receiver) : [];
    const { problems, tally } = await compare(desk, observations);
    const occurred = { ...plans.workers.counts, ...plans.clerks.counts };
    console.log(
      `${name}, seed ${SEED}: ${JSON.stringify(tally)}, ${decided.length} decisions acknowledged, ` +
        `${rejected} rejected, ${duration} ms and ${Date.now() - since - duration} ms to compare. Faults of ` +
        `processes: ${JSON.stringify(occurred)}`,
    );
    expect(problems).toEqual([]);
    expect(undelivered).toEqual([]);
    expect(tally.runs).toBeGreaterThanOrEqual(RUNS);
    expect(tally.holds).toBeGreaterThanOrEqual(RUNS * 4);
    // The test proves little unless decisions compete and calls are in doubt.
    expect(rejected).toBeGreaterThan(0);
    expect(tally.doubts).toBeGreaterThan(0);
    expect(tally.repeated).toBeGreaterThan(0);
    expect(Object.entries(occurred).filter(([, count]) => count === 0)).toEqual([]);
  });
});
