import { randomBytes } from 'node:crypto';
import { runChild } from '../../harness/run-child.mjs';
import { CONTESTANTS } from './contestants/registry.mjs';

/** The number of runs of a batch. Phases of a batch follow each other, so it exceeds the concurrency. */
const RUNS = { 1: 16, 16: 64, 64: 128 };

/** A slow contestant needs as many runs as a fast one until its code is compiled. */
const WARM_UP = { runs: 64, concurrency: 16, minRuns: 128 };

/**
 * Measures every contestant once per round and concurrency, one after the other, so that the load of the
 * machine affects all of them. Returns `{ delayMs, concurrency, samples: { [contestant]: sample[] } }` per case.
 */
export async function measureRounds(session, { contestants, delays, concurrencies, ...options }) {
  const cases = delays.flatMap((delayMs) =>
    concurrencies.map((concurrency) => ({ delayMs, concurrency, samples: {} })),
  );
  for (let round = 1; round <= options.rounds; round++) {
    for (const one of cases) {
      for (const contestant of contestants.filter((name) => isDelayed(name, one.delayMs))) {
        const all = (one.samples[contestant] ??= []);
        // A contestant that failed is not measured again.
        if (all.some(({ error, timeout }) => error ?? timeout)) continue;
        const sample = await measureTurn(session, contestant, one, options);
        all.push(sample);
        const { wallMs, cpuMs, error, timeout } = sample;
        const outcome = error ?? (timeout ? `> ${timeout} s` : undefined);
        console.error(
          `round ${round}, ${one.delayMs} ms, ${one.concurrency} at a time, ${contestant}: ` +
            (outcome ?? `${wallMs.toFixed(2)} ms, ${cpuMs.toFixed(2)} ms CPU`),
        );
      }
    }
  }
  return cases;
}

/** The delay is in front of PostgreSQL, so it changes nothing for other stores. */
export function isDelayed(contestant, delayMs) {
  return delayMs === 0 || CONTESTANTS[contestant].store === 'postgres';
}

async function measureTurn(session, contestant, { delayMs, concurrency }, options) {
  const runs = RUNS[concurrency] ?? 2 * concurrency;
  await session.settle();
  const setup = {
    contestant,
    turn: randomBytes(4).toString('hex'),
    warmUp: { ...WARM_UP, ms: options.warmUpMs },
    measured: { runs, concurrency, ms: options.measureMs, minRuns: runs },
    ...(await session.setupOf(contestant, { delayMs, concurrency })),
  };
  return runChild(['desk/w8/turn.mjs', JSON.stringify(setup)], options.timeout);
}
