import { openDesk } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { Doom } from './support/crash/doom.ts';
import { readEffects } from './support/crash/journal.ts';
import { openStore } from './support/crash/store-spec.ts';
import { tellerAgent } from './support/crash/teller.ts';
import { compare } from './support/compare.ts';
import { Storm } from './support/storm.ts';
import { SHARED, Surroundings } from './support/surroundings.ts';

/** More of them find more, with other deaths: npm run soak -- --times 50 --seed 7 */
const RUNS = 100 * SOAK_TIMES;
const SEED = Number(process.env['RANDOM_SEED'] ?? 20_260_901);
const DEADLINE_MS = 120_000 + RUNS * 1_000;

let around: Surroundings;

beforeAll(async () => {
  around = await Surroundings.open('crashes');
});
afterAll(() => around[Symbol.asyncDispose]());

describe.each(SHARED)('processes that are killed and stopped, on %s', (name) => {
  it(`lose nothing and repeat nothing in ${RUNS} runs`, {
    timeout: DEADLINE_MS * 1.2,
  }, async () => {
    const spec = await around.newStore(name);
    const effects = around.newEffects(name);
    await using store = await openStore(spec);
    const agent = tellerAgent(effects, new Doom(undefined));
    const desk = openDesk({ store, agents: { teller: { agent } } });
    const disturb = spec.kind === 'postgres' ? () => around.server.cutSome() : undefined;
    const { programs } = around;
    const about = { programs, store: spec, effects, desk, disturb };
    const storm = new Storm({ ...about, seed: SEED, runs: RUNS });
    const since = Date.now();

    await storm.rage(DEADLINE_MS);

    const raged = Date.now() - since;
    const { started, answered, refused, fates } = storm;
    const witness = { started, answered, effects: readEffects(effects) };
    const { problems, tally } = await compare(desk, witness);
    const met = { ...fates.workers.times, ...fates.clerks.times };
    console.log(
      `${name}, seed ${SEED}: ${JSON.stringify(tally)}, ${answered.length} answers acknowledged, ` +
        `${refused} refused, ${raged} ms and ${Date.now() - since - raged} ms to compare. What happened to ` +
        `processes: ${JSON.stringify(met)}`,
    );
    expect(problems).toEqual([]);
    expect(tally.runs).toBeGreaterThanOrEqual(RUNS);
    expect(tally.holds).toBeGreaterThanOrEqual(RUNS * 4);
    // A storm in which nobody answers together, and nothing is ever in doubt, would show little.
    expect(refused).toBeGreaterThan(0);
    expect(tally.doubts).toBeGreaterThan(0);
    expect(tally.repeated).toBeGreaterThan(0);
    expect(Object.entries(met).filter(([, times]) => times === 0)).toEqual([]);
  });
});
