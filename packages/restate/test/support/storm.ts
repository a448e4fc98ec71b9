import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDesk } from '@holdpoint/desk';
import { ChaosTest } from '../../../desk/test/platform/support/chaos-test.ts';
import { compare, type Tally } from '../../../desk/test/platform/support/compare.ts';
import { FaultInjector } from '../../../desk/test/platform/support/crash/fault-injector.ts';
import { readEffects } from '../../../desk/test/platform/support/crash/journal.ts';
import { openStore } from '../../../desk/test/platform/support/crash/store-spec.ts';
import { tellerAgent } from '../../../desk/test/platform/support/crash/teller.ts';
import { ProcessFixture } from '../../../desk/test/platform/support/process-fixture.ts';
import { Balancer } from './balancer.ts';
import { FAST_KEEP_ALIVE, RestateServer } from './restate-server.ts';
import { setStorm, type StormSetup } from './storm-setup.ts';

const PROGRAMS = join(import.meta.dirname, '../platform/programs');

/** Opens the programs and the database of storms. */
export function openStormFixture(): Promise<ProcessFixture> {
  return ProcessFixture.open('restate-storm', {
    worker: join(PROGRAMS, 'storm-worker.ts'),
    clerk: join(PROGRAMS, 'storm-clerk.ts'),
  });
}

/** Options of a storm. */
export interface StormOptions extends Pick<StormSetup, 'isMixed' | 'hasNoSweep'> {
  readonly fixture: ProcessFixture;
  readonly runs: number;
  readonly seed: number;
  readonly deadlineMs: number;
  /** True for a few faults only. */
  readonly isBrief?: boolean | undefined;
  /** True if the Restate server is killed again and again. */
  readonly killsServer?: boolean | undefined;
}

/** The observations of a storm. */
export interface StormReport {
  readonly problems: readonly string[];
  readonly tally: Tally;
  readonly rejected: number;
  readonly serverKills: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** Executes runs in many processes that Restate calls, and kills and freezes these processes and Restate. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { fixture, runs, seed, isBrief } = options;
  await using server = await RestateServer.start({
    ...FAST_KEEP_ALIVE,
    RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT: '4',
  });
  await using balancer = await Balancer.start();
  const spec = await fixture.newStore('PostgreSQL');
  const effects = fixture.newEffects(`restate-${seed}-${Date.now()}`);
  const { isMixed, hasNoSweep } = options;
  const { ingress } = server;
  const { control } = balancer;
  const clear = setStorm({ ingress: [ingress], control, isMixed, hasNoSweep });
  await using store = await openStore(spec);
  const agent = tellerAgent(effects, new FaultInjector(undefined));
  const desk = openDesk({ store, agents: { teller: { agent } } });
  let serverKills = 0;
  const disturb = async () => {
    await fixture.server.cutSome();
    if (!options.killsServer) return;
    serverKills += 1;
    await server.kill();
    await server.restart();
  };
  const { programs } = fixture;
  const chaos = new ChaosTest({
    programs,
    store: spec,
    effects,
    webhooks: [],
    desk,
    disturb,
    seed,
    runs,
    isBrief,
  });
  const over = new AbortController();
  const registered = registerSoon(server, balancer.port, over.signal);
  const since = Date.now();
  try {
    await chaos.run(options.deadlineMs);
  } finally {
    over.abort();
    await registered;
    clear();
  }
  const seconds = Math.round((Date.now() - since) / 1_000);
  const { started, decided, rejected, plans } = chaos;
  const observed = { started, decided, effects: readEffects(effects) };
  const { problems, tally } = await compare(desk, observed);
  const faults = { ...plans.workers.counts, ...plans.clerks.counts };
  return { problems, tally, rejected, serverKills, faults, seconds };
}

/** Registers the services as soon as a process serves them. */
async function registerSoon(
  server: RestateServer,
  port: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await server.register(`http://127.0.0.1:${port}`);
      return;
    } catch {
      await sleep(100);
    }
  }
}
